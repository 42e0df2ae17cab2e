import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** The most of invalid content that the model gets to see. */
const maxExcerptLength = 500

/**
 * Makes the results that a transport receives valid. The library would refuse a whole result because of one invalid block,
 * although the call was made.
 */
export function fitResults(transport: Transport): Transport {
  let listener: Transport['onmessage']
  const fittingListener: Transport['onmessage'] = (message, extra) => listener?.(fitMessage(message), extra)
  Object.defineProperty(transport, 'onmessage', {
    get: () => listener && fittingListener,
    set: (value: Transport['onmessage']) => {
      listener = value
    },
  })
  return transport
}

function fitMessage(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !('content' in message.result || 'structuredContent' in message.result)) return message
  const { content = [], structuredContent, isError, ...rest } = message.result
  const blocks = Array.isArray(content) ? content : [content]
  const isStructured = isObject(structuredContent)
  if (blocks.length === 0 && structuredContent != null && !isStructured) blocks.push(JSON.stringify(structuredContent))
  const result = {
    ...rest,
    content: blocks.map(fitBlock),
    ...(isStructured && { structuredContent }),
    ...(isError != null && { isError: isError === true || isError === 'true' }),
  }
  return { ...message, result }
}

function fitBlock(block: unknown): object {
  if (isObject(block) && isValid(block)) return block
  if (typeof block === 'string') return { type: 'text', text: block }
  const excerpt = JSON.stringify(block).slice(0, maxExcerptLength)
  return { type: 'text', text: `[content that breaks the protocol: ${excerpt}]` }
}

function isValid(block: Record<string, unknown>): boolean {
  const hasStrings = (object: Record<string, unknown>, ...names: string[]) =>
    names.every((name) => typeof object[name] === 'string')
  switch (block.type) {
    case 'text':
      return hasStrings(block, 'text')
    case 'image':
    case 'audio':
      return hasStrings(block, 'data', 'mimeType') && base64.test(block.data as string)
    case 'resource_link':
      return hasStrings(block, 'uri', 'name')
    case 'resource': {
      const { resource } = block
      return (
        isObject(resource) &&
        hasStrings(resource, 'uri') &&
        (hasStrings(resource, 'text') || hasStrings(resource, 'blob'))
      )
    }
    default:
      return false
  }
}

const base64 = /^[\w+/-]*={0,2}$/

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

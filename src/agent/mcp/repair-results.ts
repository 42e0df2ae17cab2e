import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { isObject } from '#platform/core/is-object.ts'

type Library = Pick<typeof import('@modelcontextprotocol/client'), 'isSpecType'>

/** The most of invalid content that the model gets to see. */
const maxExcerptLength = 500

/**
 * Makes the results that a transport receives valid. The library would refuse a whole result because of one invalid block,
 * although the call was made.
 */
export function repairResults({ isSpecType }: Library, transport: Transport): Transport {
  let listener: Transport['onmessage']
  const repairingListener: Transport['onmessage'] = (message, extra) =>
    listener?.(repairMessage(isSpecType.ContentBlock, message), extra)
  Object.defineProperty(transport, 'onmessage', {
    get: () => listener && repairingListener,
    set: (value: Transport['onmessage']) => {
      listener = value
    },
  })
  return transport
}

function repairMessage(isBlock: (block: unknown) => boolean, message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || !('content' in message.result || 'structuredContent' in message.result)) return message
  const { content = [], structuredContent, isError, ...rest } = message.result
  const blocks = Array.isArray(content) ? content : [content]
  const isStructured = isObject(structuredContent)
  if (blocks.length === 0 && structuredContent != null && !isStructured) blocks.push(JSON.stringify(structuredContent))
  const result = {
    ...rest,
    content: blocks.map((block) => {
      const repaired = isBlock(block) ? block : withPlainData(block)
      return isBlock(repaired) ? repaired : toTextBlock(block)
    }),
    ...(isStructured && { structuredContent }),
    ...(isError != null && { isError: isError === true || isError === 'true' }),
  }
  return { ...message, result }
}

/** Replaces a data URL by its data. */
function withPlainData(block: unknown): unknown {
  if (!isObject(block) || !('data' in block) || typeof block.data !== 'string') return block
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(block.data) ?? []
  return data === undefined ? block : { mimeType, ...block, data }
}

function toTextBlock(block: unknown): object {
  if (typeof block === 'string') return { type: 'text', text: block }
  const excerpt = JSON.stringify(block).slice(0, maxExcerptLength)
  return { type: 'text', text: `[content that breaks the protocol: ${excerpt}]` }
}

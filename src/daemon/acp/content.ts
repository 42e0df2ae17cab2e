import { nonEmptyText } from '#platform/core/non-empty-text.ts'
import { readProperty } from './rpc-message.ts'

/**
 * The text of a content block of the protocol, of the blocks in a list, or the plain text that some agents send instead. Links
 * show their address, embedded files their content; images, sounds and binary files only their type. Undefined for an empty or
 * unknown block.
 */
export function readContentText(block: unknown): string | undefined {
  if (typeof block === 'string') return nonEmptyText(block)
  if (Array.isArray(block)) return nonEmptyText(block.map((item) => readContentText(item) ?? '').join(''))
  switch (readProperty(block, 'type')) {
    case 'text':
      return nonEmptyText(readProperty(block, 'text'))
    case 'resource_link': {
      const uri = nonEmptyText(readProperty(block, 'uri'))
      return uri && `[${nonEmptyText(readProperty(block, 'name')) ?? uri}](${uri})`
    }
    case 'resource': {
      const resource = readProperty(block, 'resource')
      const uri = nonEmptyText(readProperty(resource, 'uri')) ?? 'file'
      const text = nonEmptyText(readProperty(resource, 'text'))
      return text === undefined ? describeMedia(resource, uri) : `${uri}:\n${text}\n`
    }
    case 'image':
      return describeMedia(block, 'image')
    case 'audio':
      return describeMedia(block, 'audio')
    default:
      return undefined
  }
}

/** Names data that has no text form. */
function describeMedia(media: unknown, name: string): string {
  const mimeType = nonEmptyText(readProperty(media, 'mimeType'))
  const uri = nonEmptyText(readProperty(media, 'uri'))
  const details = [mimeType, uri === name ? undefined : uri].filter((detail) => detail !== undefined)
  return details.length > 0 ? `[${name}: ${details.join(', ')}]` : `[${name}]`
}

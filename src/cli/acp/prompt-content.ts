import { basename } from 'node:path/posix'
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk'
import type { PromptContent } from '../chat/conversation.ts'

/**
 * Converts a prompt of an editor to the content of a chat message. Attached text and links become text; images, audio and
 * other files become separate parts, which the service accepts or rejects.
 */
export function toPromptContent(blocks: ContentBlock[]): PromptContent {
  const parts = blocks.map(toPart)
  return parts.every((part) => part.type === 'text') ? parts.map(({ text }) => text).join('\n\n') : parts
}

function toPart(block: ContentBlock): Exclude<PromptContent, string>[number] {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'resource_link':
      return { type: 'text', text: `[${block.name}](${block.uri})` }
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${block.mimeType};base64,${block.data}` } }
    case 'audio': {
      const format = block.mimeType.replace(/^audio\//, '').replace('mpeg', 'mp3')
      return { type: 'input_audio', input_audio: { data: block.data, format } }
    }
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return { type: 'text', text: `${resource.uri}:\n${resource.text}` }
      const file_data = `data:${resource.mimeType ?? 'application/octet-stream'};base64,${resource.blob}`
      return { type: 'file', file: { filename: basename(resource.uri) || 'file', file_data } }
    }
    default:
      throw RequestError.invalidParams(undefined, `A prompt cannot contain "${(block as { type: string }).type}".`)
  }
}

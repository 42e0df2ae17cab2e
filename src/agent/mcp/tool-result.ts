import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { Image } from '../model/model.ts'
import { imageTypes, maxImageBytes } from '../tools/images.ts'
import type { ToolOutput } from '../tools/tool.ts'

/** The most images of one result. Each is a part of every later request to the model. */
const maxImages = 4

/** Converts the result of a server's tool for the model. @throws Error with the server's message if the call failed. */
export function toToolOutput(result: CallToolResult): ToolOutput {
  const images: Image[] = []
  const texts = result.content.map((block) => toText(block, images))
  // Servers that follow the protocol also send the structured content as text.
  if (texts.length === 0 && result.structuredContent !== undefined) texts.push(JSON.stringify(result.structuredContent))
  const text = texts.filter(Boolean).join('\n') || '(no output)'
  if (result.isError) throw new Error(text)
  return { text, ...(images.length > 0 && { images }) }
}

function toText(block: ContentBlock, images: Image[]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image': {
      const label = `image: ${block.mimeType}, ${decodedSize(block.data)} bytes`
      if (!imageTypes.includes(block.mimeType)) return `[${label}, of a type that cannot be shown]`
      if (decodedSize(block.data) > maxImageBytes) return `[${label}, too large to be shown]`
      if (images.length === maxImages) return `[${label}, one of too many to be shown]`
      images.push({ mimeType: block.mimeType, data: block.data })
      return `[${label}]`
    }
    case 'audio':
      return `[audio: ${block.mimeType}, ${decodedSize(block.data)} bytes, which cannot be played]`
    case 'resource_link':
      return [`[${block.name}](${block.uri})`, block.description].filter(Boolean).join(': ')
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return `${resource.uri}:\n${resource.text}`
      return `[${resource.uri}: ${resource.mimeType ?? 'bytes'}, ${decodedSize(resource.blob)} bytes]`
    }
    default:
      return `[content of an unknown type: ${JSON.stringify((block as { type: string }).type)}]`
  }
}

const decodedSize = (base64: string) => Math.floor((base64.length * 3) / 4)

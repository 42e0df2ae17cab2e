import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { Image } from '../model/model.ts'
import { detectImageType, maxImageBytes } from '../tools/images.ts'
import type { ToolOutput } from '../tools/tool.ts'

/** How many base64 characters of an image are enough to detect its type. */
const signatureLength = 32

/** The most images of one result. Every later request to the model contains each of them. */
const maxImages = 4

/** Converts the result of a server's tool for the model. @throws Error with the server's message if the call failed. */
export function toToolOutput(result: CallToolResult): ToolOutput {
  const images: Image[] = []
  const texts = result.content.map((block) => toText(block, images))
  const { structuredContent } = result
  // Most servers also send the structured content as text, as the protocol recommends.
  if (structuredContent !== undefined && !containsValues(texts.join('\n'), structuredContent))
    texts.push(JSON.stringify(structuredContent))
  const text = texts.filter(Boolean).join('\n') || '(no output)'
  if (result.isError) throw new Error(text)
  return { text, ...(images.length > 0 && { images }) }
}

/** The most values that are searched in a text, to bound the time. */
const maxSearchedValues = 100

/** Whether a text has the values of an object, at least the first ones. */
function containsValues(text: string, structured: unknown): boolean {
  if (text === '') return false
  const values = leavesOf(structured).take(maxSearchedValues)
  return values.every((value) => text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1)))
}

/** The strings, numbers and other scalars in a JSON value, as strings. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* leavesOf(item)
  else yield String(value)
}

function toText(block: ContentBlock, images: Image[]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image': {
      const label = `image: ${block.mimeType}, ${decodedSize(block.data)} bytes`
      // Providers refuse an image whose type is not that of its bytes, and then every later request of the session.
      const mimeType = detectImageType(Buffer.from(block.data.slice(0, signatureLength), 'base64'))
      if (mimeType === undefined) return `[${label}, of a type that cannot be shown]`
      if (decodedSize(block.data) > maxImageBytes) return `[${label}, too large to be shown]`
      if (images.length === maxImages) return `[${label}, one of too many to be shown]`
      images.push({ mimeType, data: block.data })
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

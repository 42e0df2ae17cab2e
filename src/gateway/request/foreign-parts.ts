import type { Body } from '../protocol/protocol.ts'

type Part = { type?: unknown; text?: unknown } & Body
type Message = { role?: unknown; content?: unknown } & Body
type Source = { type?: unknown; media_type?: unknown; data?: unknown; url?: unknown; file_id?: unknown }

/**
 * Replaces the content parts of other protocols in chat messages, which some clients send, by those of chats. The content
 * of a tool result that is null becomes an empty text. A body without them is returned unchanged.
 */
export function withChatParts(body: Body): Body {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(needsChange)) return body
  return {
    ...body,
    messages: (messages as Message[]).map((message) => (needsChange(message) ? changed(message) : message)),
  }
}

function needsChange(message: Message | null): boolean {
  const { role, content } = message ?? {}
  if (role === 'tool' && content === null) return true
  return Array.isArray(content) && (content as (Part | null)[]).some((part) => chatPart(part) !== part)
}

function changed(message: Message): Message {
  const { content } = message
  return { ...message, content: content === null ? '' : (content as (Part | null)[]).map(chatPart) }
}

/** The same part as a chat has it. Unknown types stay, because they can belong to a provider. */
function chatPart(part: Part | null): Part | null {
  switch (part?.type) {
    case 'input_text':
    case 'output_text':
      return typeof part.text === 'string' ? { ...part, type: 'text' } : part
    case 'image_url':
      return typeof part.image_url === 'string' ? { ...part, image_url: { url: part.image_url } } : part
    case 'input_image':
      return typeof part.image_url === 'string' ? imagePart(part.image_url, part) : part
    case 'image':
      return imageOf(part)
    case 'input_file':
      return filePart(part, part.file_data ?? part.file_url, part.filename, part.file_id)
    case 'document':
      return documentOf(part)
    default:
      return part
  }
}

/** Members that every protocol has. */
const shared = ({ cache_control }: Part) => (cache_control == null ? {} : { cache_control })

function imagePart(url: string, part: Part): Part {
  const detail = part.detail == null ? {} : { detail: part.detail }
  return { type: 'image_url', image_url: { url, ...detail }, ...shared(part) }
}

/** An image of Anthropic's protocol, or of the AI SDK. */
function imageOf(part: Part): Part {
  const url = typeof part.image === 'string' ? part.image : urlOf(part.source as Source | undefined)
  return url === undefined ? part : imagePart(url, part)
}

function documentOf(part: Part): Part {
  const source = part.source as Source | undefined
  if (source?.type === 'text' && typeof source.data === 'string')
    return { type: 'text', text: source.data, ...shared(part) }
  return filePart(part, urlOf(source), part.title, source?.file_id)
}

function filePart(part: Part, data: unknown, filename: unknown, fileId: unknown): Part {
  if (typeof data !== 'string' && typeof fileId !== 'string') return part
  const file = {
    ...(typeof data === 'string' && { file_data: data }),
    ...(typeof filename === 'string' && { filename }),
    ...(typeof fileId === 'string' && { file_id: fileId }),
  }
  return { type: 'file', file, ...shared(part) }
}

function urlOf({ type, media_type, data, url }: Source = {}): string | undefined {
  if (type === 'url' && typeof url === 'string') return url
  return type === 'base64' && typeof data === 'string' ? `data:${media_type};base64,${data}` : undefined
}

import type { Body } from '../../protocol/protocol.ts'
import { isPdfUrl } from '../../protocol/repairs/media-types.ts'

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
    messages: (messages as Message[]).flatMap((message) =>
      needsChange(message) ? extractCallParts(withChatContent(message)) : [message],
    ),
  }
}

type CallPart = Part & { id?: unknown; name?: unknown; input?: unknown; tool_use_id?: unknown; content?: unknown }

const isCallPart = (part: Part | null) => part?.type === 'tool_use' || part?.type === 'tool_result'

/**
 * Moves the calls of Anthropic's protocol from the parts to `tool_calls`, and its results to tool messages. Results come before
 * the other parts of a user message, because in a chat they must follow the calls directly.
 */
function extractCallParts(message: Message): Message[] {
  const { role, content } = message
  if (!Array.isArray(content) || !(content as (Part | null)[]).some(isCallPart)) return [message]
  const parts = content as CallPart[]
  const results = parts.filter(({ type }) => type === 'tool_result').map(toToolMessage)
  const rest = parts.filter((part) => !isCallPart(part))
  if (role !== 'assistant') return rest.length > 0 ? [...results, { ...message, content: rest }] : results
  const listedCalls = (Array.isArray(message.tool_calls) ? message.tool_calls : []) as { id?: unknown }[]
  const ids = new Set(listedCalls.map(({ id }) => id))
  const calls = parts.filter(({ type, id }) => type === 'tool_use' && !ids.has(id)).map(toChatCall)
  const answer = { ...message, content: rest.length > 0 ? rest : null, tool_calls: [...listedCalls, ...calls] }
  return [answer, ...results]
}

function toChatCall({ id, name, input }: CallPart): object {
  const args = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return { id, type: 'function', function: { name, arguments: args } }
}

function toToolMessage({ tool_use_id, content, is_error }: CallPart): Message {
  const parts = Array.isArray(content) ? (content as (Part | null)[]).map(toChatPart) : (content ?? '')
  return { role: 'tool', tool_call_id: tool_use_id, content: parts, ...(is_error === true && { is_error }) }
}

function needsChange(message: Message | null): boolean {
  const { role, content } = message ?? {}
  if (role === 'tool' && content === null) return true
  return (
    Array.isArray(content) && (content as (Part | null)[]).some((part) => isCallPart(part) || toChatPart(part) !== part)
  )
}

function withChatContent(message: Message): Message {
  const { content } = message
  return { ...message, content: content === null ? '' : (content as (Part | null)[]).map(toChatPart) }
}

/** Translates a part to the form of chats. Unknown types stay, because they can belong to a provider. */
function toChatPart(part: Part | null): Part | null {
  switch (part?.type) {
    case 'input_text':
    case 'output_text':
      return typeof part.text === 'string' ? { ...part, type: 'text' } : part
    case 'image_url':
      return convertImageUrl(part)
    case 'input_image':
      return typeof part.image_url === 'string' ? toImagePart(part.image_url, part) : part
    case 'image':
      return convertImage(part)
    case 'file':
      return typeof part.file === 'object' ? part : convertInline(part)
    case 'audio':
    case 'media':
    case 'video':
      return convertInline(part)
    case 'audio_url':
      return convertAudio(part)
    case 'input_file':
      return toFilePart(part, part.file_data ?? part.file_url, part.filename, part.file_id)
    case 'document':
      return convertDocument(part)
    default:
      return part
  }
}

/** Members that parts of every protocol can have. */
const commonMembers = ({ cache_control }: Part) => (cache_control == null ? {} : { cache_control })

function convertImageUrl(part: Part): Part {
  const { image_url: image } = part
  const url = typeof image === 'string' ? image : (image as { url?: unknown } | null | undefined)?.url
  if (isPdfUrl(url)) return toFilePart(part, url, undefined, undefined)
  return typeof image === 'string' ? { ...part, image_url: { url: image } } : part
}

function toImagePart(url: string, part: Part): Part {
  if (isPdfUrl(url)) return toFilePart(part, url, undefined, undefined)
  const detail = part.detail == null ? {} : { detail: part.detail }
  return { type: 'image_url', image_url: { url, ...detail }, ...commonMembers(part) }
}

/** An image of Anthropic's protocol, or of the AI SDK. */
function convertImage(part: Part): Part {
  const url = typeof part.image === 'string' ? part.image : readUrl(part.source as Source | undefined)
  return url === undefined ? convertInline(part) : toImagePart(url, part)
}

/** Translates parts that have data and its media type as members, as LangChain, the AI SDK and Gemini's clients write them. */
function convertInline(part: Part): Part {
  const inner = (part.inlineData ?? part.inline_data ?? part) as Body
  const data = [inner.base64, inner.data].find((one) => typeof one === 'string')
  const mediaType = [inner.mime_type, inner.mimeType, inner.mediaType, inner.media_type].find(isText)
  const link = [inner.url, inner.file_uri, inner.fileUri].find(isText)
  if (typeof data !== 'string' && link === undefined) return part
  const isImage = part.type === 'image' || mediaType?.startsWith('image/')
  const isLink = typeof data !== 'string' || /^(?:data:|https?:)/.test(data)
  const url = isLink ? String(data ?? link) : `data:${mediaType ?? ''};base64,${data}`
  if (isImage) return toImagePart(url, part)
  if (mediaType?.startsWith('audio/') && !isLink) return toAudioPart(String(data), mediaType, part)
  return toFilePart(part, url, part.filename ?? part.name, undefined)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function convertAudio(part: Part): Part {
  const { audio_url: audio } = part
  const url = typeof audio === 'string' ? audio : (audio as { url?: unknown } | null | undefined)?.url
  const [, mediaType, data] = /^data:(audio\/[^;,]+)[^,]*;base64,(.*)$/s.exec(String(url)) ?? []
  return mediaType === undefined || data === undefined ? part : toAudioPart(data, mediaType, part)
}

const audioFormats = new Map([
  ['mpeg', 'mp3'],
  ['x-wav', 'wav'],
  ['wave', 'wav'],
])

function toAudioPart(data: string, mediaType: string, part: Part): Part {
  const name = mediaType.slice('audio/'.length)
  return { type: 'input_audio', input_audio: { data, format: audioFormats.get(name) ?? name }, ...commonMembers(part) }
}

function convertDocument(part: Part): Part {
  const source = part.source as Source | undefined
  if (source?.type === 'text' && typeof source.data === 'string')
    return { type: 'text', text: source.data, ...commonMembers(part) }
  return toFilePart(part, readUrl(source), part.title, source?.file_id)
}

function toFilePart(part: Part, data: unknown, filename: unknown, fileId: unknown): Part {
  if (typeof data !== 'string' && typeof fileId !== 'string') return part
  const file = {
    ...(typeof data === 'string' && { file_data: data }),
    ...(typeof filename === 'string' && { filename }),
    ...(typeof fileId === 'string' && { file_id: fileId }),
  }
  return { type: 'file', file, ...commonMembers(part) }
}

function readUrl({ type, media_type, data, url }: Source = {}): string | undefined {
  if (type === 'url' && typeof url === 'string') return url
  return type === 'base64' && typeof data === 'string' ? `data:${media_type};base64,${data}` : undefined
}

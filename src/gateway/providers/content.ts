import type { Content, ContentPart, Message } from '#chat/message.ts'
import { Fault } from '#platform/core/fault.ts'
import { correctDataUrl } from '../protocol/repairs/media-types.ts'

/** A content part in the format from which all provider protocols encode their parts. */
export type NormalizedPart = { cacheControl?: unknown; cacheBreakpoint?: unknown } & (
  | { kind: 'text'; text: string }
  | { kind: 'image'; url: string; detail?: string }
  | {
      kind: 'inline'
      modality: 'image' | 'file' | 'audio' | 'video'
      mediaType: string
      base64: string
      name?: string
      detail?: string
    }
  | { kind: 'file'; url: string; name?: string }
  /** Audio or video, by its URL. */
  | { kind: 'remote-media'; medium: 'audio' | 'video'; url: string }
  /** A file that the client uploaded to the provider, by its id there. */
  | { kind: 'uploaded-file'; fileId: string }
  | { kind: 'other'; original: ContentPart }
)

const dataUrl = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/is

/** The cache breakpoint of a part: Anthropic's field `cache_control`, or OpenAI's `prompt_cache_breakpoint`. */
function readBreakpoint(part: ContentPart): Pick<NormalizedPart, 'cacheControl' | 'cacheBreakpoint'> | undefined {
  const { cache_control: cacheControl, prompt_cache_breakpoint: cacheBreakpoint } = part as Record<string, unknown>
  if (cacheBreakpoint != null) return { cacheControl: cacheControl ?? { type: 'ephemeral' }, cacheBreakpoint }
  return cacheControl == null ? undefined : { cacheControl }
}

/** Normalizes the content of a message, a text or a list. Skips parts that only one provider understands. */
export function normalizeContent(content: Content | null | undefined): NormalizedPart[] {
  if (content == null) return []
  if (typeof content === 'string') return content ? [{ kind: 'text', text: content }] : []
  const parts: NormalizedPart[] = []
  for (const part of content) {
    if (isSingleProviderPart(part)) continue
    const normalized = normalizePart(part)
    const cache = readBreakpoint(part)
    parts.push(cache ? { ...normalized, ...cache } : normalized)
  }
  return parts
}

/** The content of a message. If it is empty, the text of the refusal, or the transcript of the audio. */
export function readContentOrWords(message: Message): Content | null | undefined {
  const isEmpty = message.content == null || message.content.length === 0
  return (isEmpty ? readRefusalOrSpeech(message) : undefined) ?? message.content
}

/** The text of a response without content: its refusal, or the transcript of its audio. */
export function readRefusalOrSpeech(message: object): string | undefined {
  const { refusal } = message as { refusal?: unknown }
  return typeof refusal === 'string' ? refusal : readSpeech(message)
}

/** The transcript of the audio of an earlier response, which clients send back unchanged. */
export function readSpeech(message: object): string | undefined {
  const { transcript } = ((message as { audio?: unknown }).audio ?? {}) as { transcript?: unknown }
  return typeof transcript === 'string' && transcript !== '' ? transcript : undefined
}

/** The images that a model generated. Clients return them beside the text of the response. */
export function listGeneratedImages(message: Message): NormalizedPart[] {
  const { images } = message as { images?: unknown }
  const isImage = (part: { type?: unknown } | null) => part?.type === 'image_url'
  return Array.isArray(images) ? normalizeContent(images.filter(isImage)) : []
}

/** Lists the field of generated images as dropped, for protocols that accept no images in assistant messages. */
export function listDroppedImageFields(messages: readonly Message[]): string[] {
  const hasImages = messages.some((message) => message.role === 'assistant' && listGeneratedImages(message).length > 0)
  return hasImages ? ['messages.images'] : []
}

/** Lists the field of audio as dropped if a message has only the id of the audio, which only its provider can resolve. */
export function listDroppedSpeech(messages: readonly Message[]): string[] {
  const isLost = (message: Message) =>
    (message as { audio?: unknown }).audio != null && readSpeech(message) === undefined
  return messages.some((message) => message.role === 'assistant' && isLost(message)) ? ['messages.audio'] : []
}

const singleProviderTypes: ReadonlySet<string> = new Set([
  'thinking',
  'redacted_thinking',
  'reasoning',
  'tool_addition',
  'tool_removal',
])

/** Whether only one provider understands a part: reasoning of its model, or a change of its tools. */
export function isSingleProviderPart({ type }: ContentPart): boolean {
  return singleProviderTypes.has(type)
}

/** @throws Fault `invalid` if a part is a file in the container of Anthropic's code execution tool. */
export function rejectContainerFile({ type }: ContentPart): void {
  if (type !== 'container_upload') return
  const advice = 'Send it as a document, an image or text, or choose a model of Anthropic.'
  throw new Fault(
    'invalid',
    `messages: this model has no container for the file of a container_upload block. ${advice}`,
  )
}

/** The error for a medium that a protocol does not support. Another endpoint may support it. */
export function unsupportedMediumFault(medium: string): Fault {
  return new Fault('invalid', `messages: the protocol of this model does not support ${medium}. Choose another model.`)
}

/** Whether a message belongs to the system prompt, for protocols with a separate one. */
export function isInstruction({ role }: Pick<Message, 'role'>): boolean {
  return role === 'system' || role === 'developer'
}

type Result = Extract<Message, { role: 'tool' }>

/** Whether a tool result is marked as failed. Only clients of Anthropic's protocol can mark results. */
export function isFailedResult(result: Result): boolean {
  return result.is_error === true
}

/** The content of a tool result, with the text "Error:" before it if the tool failed. */
export function toResultContent(result: Result): Content {
  const { content } = result
  if (!isFailedResult(result)) return content
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return [{ type: 'text', text: 'Error:' }, ...parts]
}

/**
 * Joins texts for protocols that accept only one. Separates them by line breaks, because a join without separators could
 * produce text that no content filter has scanned.
 */
export function joinTexts(texts: string[]): string {
  return texts.join('\n')
}

type PartFields = {
  image_url?: { url?: string; detail?: string } | string
  input_audio?: { data?: string; format?: string }
  audio_url?: { url?: string }
  video_url?: { url?: string }
  document_url?: { url?: string } | string
  document_name?: string | null
  file?: { file_data?: string; file_url?: string; file_id?: string; filename?: string }
  file_url?: { url?: string } | string
  refusal?: string
}

function normalizePart(part: ContentPart): NormalizedPart {
  const { image_url, input_audio, audio_url, video_url, document_url, document_name, file, file_url, refusal } =
    part as PartFields
  if (part.type === 'text') return { kind: 'text', text: part.text ?? '' }
  if (part.type === 'refusal' && refusal !== undefined) return { kind: 'text', text: refusal }
  const image = typeof image_url === 'string' ? { url: image_url } : image_url
  if (part.type === 'image_url' && image?.url) return normalizeImage(image.url, image.detail)
  if (part.type === 'audio_url' && audio_url?.url) return normalizeRemoteMedia(audio_url.url, 'audio')
  if (part.type === 'video_url' && video_url?.url) return normalizeRemoteMedia(video_url.url, 'video')
  const document = typeof document_url === 'string' ? document_url : document_url?.url
  if (part.type === 'document_url' && document) return normalizeFile(document, document_name ?? undefined)
  const link = typeof file_url === 'string' ? file_url : file_url?.url
  if (part.type === 'file_url' && link) return normalizeFile(link, undefined)
  const data = file?.file_data || file?.file_url
  if (part.type === 'file' && data) return normalizeFile(data, file.filename)
  if (part.type === 'file' && file?.file_id) return { kind: 'uploaded-file', fileId: file.file_id }
  if (part.type === 'input_audio' && input_audio?.data) {
    const mediaType = `audio/${input_audio.format ?? 'wav'}`
    return { kind: 'inline', modality: 'audio', mediaType, base64: input_audio.data }
  }
  return { kind: 'other', original: part }
}

function normalizeImage(url: string, detail: string | undefined): NormalizedPart {
  const inline = readDataUrl(url)
  const options = detail === undefined ? {} : { detail }
  if (!inline) return { kind: 'image', url, ...options }
  // Some clients send every file as an image.
  const modality = inline.mediaType === 'application/pdf' ? 'file' : 'image'
  return { kind: 'inline', modality, ...inline, ...options }
}

function normalizeRemoteMedia(url: string, medium: 'audio' | 'video'): NormalizedPart {
  const inline = readDataUrl(url)
  return inline ? { kind: 'inline', modality: medium, ...inline } : { kind: 'remote-media', medium, url }
}

function normalizeFile(url: string, filename: string | undefined): NormalizedPart {
  const inline = readDataUrl(url)
  const options = filename ? { name: filename } : {}
  return inline ? { kind: 'inline', modality: 'file', ...inline, ...options } : { kind: 'file', url, ...options }
}

function readDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const [, mediaType, base64] = dataUrl.exec(correctDataUrl(url)) ?? []
  return mediaType !== undefined && base64 !== undefined ? { mediaType, base64 } : undefined
}

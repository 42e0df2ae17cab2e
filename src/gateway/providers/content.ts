import type { Content, ContentPart, Message } from '#chat/message.ts'
import { Fault } from '#platform/core/fault.ts'
import { correctDataUrl } from '../protocol/repairs/media-types.ts'

/** A part of a message's content in the form that all provider protocols are written from. */
export type NormalizedPart = { cacheControl?: unknown } & (
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
  /** Remote audio or video. */
  | { kind: 'recording'; medium: 'audio' | 'video'; url: string }
  /** A file that the client uploaded to the provider, which knows its id. */
  | { kind: 'uploaded'; fileId: string }
  | { kind: 'other'; original: ContentPart }
)

const dataUrl = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/is

/** The parts of a message's content, which is a text or a list. Skips parts that only their provider understands. */
export function normalizeContent(content: Content | null | undefined): NormalizedPart[] {
  if (content == null) return []
  if (typeof content === 'string') return content ? [{ kind: 'text', text: content }] : []
  const parts: NormalizedPart[] = []
  for (const part of content) {
    if (isSingleProviderPart(part)) continue
    const normalized = normalizePart(part)
    const { cache_control: cacheControl } = part as { cache_control?: unknown }
    parts.push(cacheControl == null ? normalized : { ...normalized, cacheControl })
  }
  return parts
}

/** The content of a message. If it is empty, the text of the refusal. */
export function contentOrRefusal(message: Message): Content | null | undefined {
  const { refusal } = message as { refusal?: unknown }
  const isEmpty = message.content == null || message.content.length === 0
  return isEmpty && typeof refusal === 'string' ? refusal : message.content
}

/** The images that a model generated, which clients return beside the text of its answer. */
export function generatedImages(message: Message): NormalizedPart[] {
  const { images } = message as { images?: unknown }
  const isImage = (part: { type?: unknown } | null) => part?.type === 'image_url'
  return Array.isArray(images) ? normalizeContent(images.filter(isImage)) : []
}

/** The field of generated images, if a message has it, for protocols that accept no images in answers. */
export function generatedImagesField(messages: readonly Message[]): string[] {
  const hasImages = messages.some((message) => message.role === 'assistant' && generatedImages(message).length > 0)
  return hasImages ? ['messages.images'] : []
}

const singleProviderTypes: ReadonlySet<string> = new Set([
  'thinking',
  'redacted_thinking',
  'reasoning',
  'tool_addition',
  'tool_removal',
])

/** Whether only the provider of a part understands it: reasoning of its model, or a change of its tools. */
export function isSingleProviderPart({ type }: ContentPart): boolean {
  return singleProviderTypes.has(type)
}

/** Returns the part. @throws Fault `invalid` for a file in the container of Anthropic's code execution tool. */
export function requireNoContainerFile(part: ContentPart): ContentPart {
  if (part.type !== 'container_upload') return part
  const advice = 'Send it as a document, an image or text, or choose a model of Anthropic.'
  throw new Fault(
    'invalid',
    `messages: this model has no container for the file of a container_upload block. ${advice}`,
  )
}

/** The error for a medium that a protocol has no part for. Another endpoint can have one. */
export function unsupportedMediumFault(medium: string): Fault {
  return new Fault('invalid', `messages: the protocol of this model does not support ${medium}. Choose another model.`)
}

/** Whether a message belongs to the system prompt, for protocols with a separate one. */
export function isInstruction({ role }: Pick<Message, 'role'>): boolean {
  return role === 'system' || role === 'developer'
}

type Result = Extract<Message, { role: 'tool' }>

/** Whether a tool's result is marked as failed. Only clients of Anthropic's protocol can mark it. */
export function hasFailed(result: Result): boolean {
  return result.is_error === true
}

/** The content of a result as text, with the prefix "Error:" if the tool failed. */
export function resultContent(result: Result): Content {
  const { content } = result
  if (!hasFailed(result)) return content
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return [{ type: 'text', text: 'Error:' }, ...parts]
}

/**
 * Joins texts for protocols that accept only one. Keeps each on separate lines: a seamless join could produce text that
 * no filter has scanned.
 */
export function joinTexts(texts: string[]): string {
  return texts.join('\n')
}

type KnownPart = {
  image_url?: { url?: string; detail?: string } | string
  input_audio?: { data?: string; format?: string }
  audio_url?: { url?: string }
  video_url?: { url?: string }
  document_url?: { url?: string } | string
  document_name?: string | null
  file?: { file_data?: string; file_id?: string; filename?: string }
  refusal?: string
}

function normalizePart(part: ContentPart): NormalizedPart {
  const { image_url, input_audio, audio_url, video_url, document_url, document_name, file, refusal } = part as KnownPart
  if (part.type === 'text') return { kind: 'text', text: part.text ?? '' }
  if (part.type === 'refusal' && refusal !== undefined) return { kind: 'text', text: refusal }
  const image = typeof image_url === 'string' ? { url: image_url } : image_url
  if (part.type === 'image_url' && image?.url) return normalizeImage(image.url, image.detail)
  if (part.type === 'audio_url' && audio_url?.url) return normalizeRecording(audio_url.url, 'audio')
  if (part.type === 'video_url' && video_url?.url) return normalizeRecording(video_url.url, 'video')
  const document = typeof document_url === 'string' ? document_url : document_url?.url
  if (part.type === 'document_url' && document) return normalizeFile(document, document_name ?? undefined)
  if (part.type === 'file' && file?.file_data) return normalizeFile(file.file_data, file.filename)
  if (part.type === 'file' && file?.file_id) return { kind: 'uploaded', fileId: file.file_id }
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

function normalizeRecording(url: string, medium: 'audio' | 'video'): NormalizedPart {
  const inline = readDataUrl(url)
  return inline ? { kind: 'inline', modality: medium, ...inline } : { kind: 'recording', medium, url }
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

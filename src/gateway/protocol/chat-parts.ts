import { isPdfUrl } from './repairs/media-types.ts'
import type { Body } from './request-body.ts'

/** A content part of any protocol. */
export type Part = { type?: unknown; text?: unknown } & Body
type Source = { type?: unknown; media_type?: unknown; data?: unknown; url?: unknown; file_id?: unknown }

/** Translates a content part to the chat format. Parts of unknown types stay, because a provider can define them. */
export function toChatPart(part: Part | null): Part | null {
  switch (part?.type) {
    case 'input_text':
    case 'output_text':
      return typeof part.text === 'string' ? { ...part, type: 'text' } : part
    case 'image_url':
      return convertImageUrl(part)
    case 'input_image':
      return convertInputImage(part)
    case 'image':
      return convertImage(part)
    case 'file':
      return typeof part.file === 'object' ? convertFile(part) : convertInline(part)
    case 'audio':
    case 'media':
    case 'video':
      return convertInline(part)
    case 'audio_url':
      return convertAudioUrl(part)
    case 'input_audio':
      return convertInputAudio(part)
    case 'video_url':
    case 'input_video':
      return convertVideo(part)
    case 'input_file':
      return convertFile(toFilePart(part, part.file_data ?? part.file_url, part.filename, part.file_id))
    case 'document':
      return convertDocument(part)
    default:
      return part
  }
}

/** The fields that parts of all protocols share. */
const commonFields = ({ cache_control }: Part) => (cache_control == null ? {} : { cache_control })

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Reads a URL, which clients send as text or as an object. */
function readLink(link: unknown): string | undefined {
  const url = typeof link === 'object' && link !== null ? (link as { url?: unknown }).url : link
  return isText(url) ? url : undefined
}

function convertImageUrl(part: Part): Part {
  const url = readLink(part.image_url)
  if (isPdfUrl(url)) return toFilePart(part, url, undefined, undefined)
  if (url !== undefined && typeof part.image_url === 'string') return { ...part, image_url: { url } }
  const { detail, ...image } = (part.image_url ?? {}) as { detail?: unknown }
  return detail === null ? { ...part, image_url: image } : part
}

function convertInputImage(part: Part): Part {
  const url = readLink(part.image_url)
  if (url === undefined) return isText(part.file_id) ? toFilePart(part, undefined, undefined, part.file_id) : part
  const { detail } = (typeof part.image_url === 'object' ? part.image_url : part) as { detail?: unknown }
  return toImagePart(url, detail === undefined ? part : { ...part, detail })
}

function toImagePart(url: string, part: Part): Part {
  if (isPdfUrl(url)) return toFilePart(part, url, undefined, undefined)
  const detail = part.detail == null ? {} : { detail: part.detail }
  return { type: 'image_url', image_url: { url, ...detail }, ...commonFields(part) }
}

/** Translates an image of Anthropic's protocol or of the AI SDK. */
function convertImage(part: Part): Part {
  const url = typeof part.image === 'string' ? part.image : readUrl(part.source)
  return url === undefined ? convertInline(part) : toImagePart(url, part)
}

/** Translates parts that have data and its media type as fields, as LangChain, the AI SDK and Gemini's clients write them. */
function convertInline(part: Part): Part {
  const inner = (part.inlineData ?? part.inline_data ?? part.source ?? part) as Body
  const data = [inner.base64, inner.data].find((one) => typeof one === 'string')
  const mediaType = [inner.mime_type, inner.mimeType, inner.mediaType, inner.media_type].find(isText)
  const link = [inner.url, inner.file_uri, inner.fileUri].find(isText)
  if (typeof data !== 'string' && link === undefined) return part
  const isLink = typeof data !== 'string' || /^(?:data:|https?:)/.test(data)
  const url = isLink ? String(data ?? link) : `data:${mediaType ?? ''};base64,${data}`
  const kinds = [part.type, /^\w+/.exec(mediaType ?? '')?.[0]]
  if (kinds.includes('image')) return toImagePart(url, part)
  if (kinds.includes('audio')) return toAudioPart(url, part)
  if (kinds.includes('video')) return toVideoPart(url, part)
  return convertFile(toFilePart(part, url, part.filename ?? part.name, undefined))
}

const convertAudioUrl = (part: Part): Part => {
  const url = readLink(part.audio_url)
  if (url === undefined) return part
  const isSame = typeof part.audio_url === 'object' && !url.startsWith('data:')
  return isSame ? part : toAudioPart(url, part)
}

/** Mistral's clients send base64 or a URL as text, others a URL as the data. */
function convertInputAudio(part: Part): Part {
  const { input_audio: audio } = part
  const { data, url } = (typeof audio === 'object' ? (audio ?? {}) : { data: audio }) as {
    data?: unknown
    url?: unknown
  }
  const value = [data, url].find(isText)
  if (value === undefined) return part
  if (/^(?:data:|https?:)/i.test(value)) return toAudioPart(value, part)
  return typeof audio === 'string' ? toAudioPart(`data:${detectAudioType(value)};base64,${value}`, part) : part
}

/** Detects the media type of base64 audio by its first bytes: MP3, or else WAV. */
const detectAudioType = (base64: string) => (/^(?:SUQz|\/\/)/.test(base64) ? 'audio/mpeg' : 'audio/wav')

const audioFormats = new Map([
  ['mpeg', 'mp3'],
  ['x-wav', 'wav'],
  ['wave', 'wav'],
])

/** Returns a part with the data of audio, or with its URL. Only vLLM and others support URLs, OpenAI does not. */
function toAudioPart(url: string, part: Part): Part {
  const common = commonFields(part)
  const [, name, data] = /^data:audio\/([^;,]+)(?:;[^,]*)?;base64,(.*)$/is.exec(url) ?? []
  if (name === undefined || data === undefined) return { type: 'audio_url', audio_url: { url }, ...common }
  return { type: 'input_audio', input_audio: { data, format: audioFormats.get(name) ?? name }, ...common }
}

function convertVideo(part: Part): Part {
  const url = readLink(part.video_url)
  const isSame = url === undefined || (part.type === 'video_url' && typeof part.video_url === 'object')
  return isSame ? part : toVideoPart(url, part)
}

function toVideoPart(url: string, part: Part): Part {
  return { type: 'video_url', video_url: { url }, ...commonFields(part) }
}

/** Converts a file with audio or video to an audio or video part, because models do not read media from files. */
function convertFile(part: Part): Part {
  const { file_data: data } = (part.file ?? {}) as { file_data?: unknown }
  if (typeof data !== 'string') return part
  const [, kind] = /^data:(audio|video)\//i.exec(data.slice(0, longestMediaPrefix)) ?? []
  if (kind === undefined) return part
  return kind.toLowerCase() === 'audio' ? toAudioPart(data, part) : toVideoPart(data, part)
}

const longestMediaPrefix = 'data:audio/'.length

function convertDocument(part: Part): Part {
  const source = part.source as Source | undefined
  if (source?.type === 'text' && typeof source.data === 'string')
    return { type: 'text', text: source.data, ...commonFields(part) }
  return toFilePart(part, readUrl(source), part.title, source?.file_id)
}

function toFilePart(part: Part, data: unknown, filename: unknown, fileId: unknown): Part {
  if (typeof data !== 'string' && typeof fileId !== 'string') return part
  const file = {
    ...(typeof data === 'string' && { file_data: data }),
    ...(typeof filename === 'string' && { filename }),
    ...(typeof fileId === 'string' && { file_id: fileId }),
  }
  return { type: 'file', file, ...commonFields(part) }
}

function readUrl(source: unknown): string | undefined {
  const { type, media_type, data, url } = (source ?? {}) as Source
  if (type === 'url' && typeof url === 'string') return url
  return type === 'base64' && typeof data === 'string' ? `data:${media_type};base64,${data}` : undefined
}

import type { Body } from '../protocol/request-body.ts'
import { decodeMedium, isPossiblyPdf, parseDataUrl } from './media-bytes.ts'
import { readMedium } from './medium.ts'

/** The contents of a request that can have a separate price: parts that are not text, and long caches. */
type RequestMedia = {
  imageCount: number
  hasAudio: boolean
  /** Video can contain audio, too. */
  hasVideo: boolean
  /** Whether the request has files whose kind is unknown. */
  hasUnknownFiles: boolean
  /** Whether the request caches for longer than the usual five minutes. */
  hasLongCacheLifetime: boolean
}

/** The media of each request, which several endpoints ask for. */
const mediaOfRequest = new WeakMap<Body, RequestMedia>()

/** Finds the media of a request in any protocol, and caches them by the request. */
export function getRequestMedia(request: Body): RequestMedia {
  return mediaOfRequest.getOrInsertComputed(request, findMedia)
}

function findMedia(request: Body): RequestMedia {
  const media: RequestMedia = {
    imageCount: 0,
    hasAudio: false,
    hasVideo: false,
    hasUnknownFiles: false,
    hasLongCacheLifetime: hasLongCache(request.cache_control),
  }
  for (const name of ['messages', 'input', 'system', 'instructions'])
    if (typeof request[name] === 'object') addMedia(media, request[name])
  for (const tool of Array.isArray(request.tools) ? request.tools : [])
    if ([tool?.cache_control, tool?.function?.cache_control, tool?.caching].some(hasLongCache))
      media.hasLongCacheLifetime = true
  return media
}

/** Types of parts and items in all protocols. */
const imageTypes: ReadonlySet<unknown> = new Set(['image_url', 'input_image', 'image', 'image_generation_call'])
const audioTypes: ReadonlySet<unknown> = new Set(['input_audio', 'audio', 'audio_url'])
const videoTypes: ReadonlySet<unknown> = new Set(['video_url', 'input_video', 'video'])
const fileTypes: ReadonlySet<unknown> = new Set(['file', 'input_file', 'document', 'file_url'])

function addMedia(media: RequestMedia, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) addMedia(media, item)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const { type, cache_control } = value as Body
  if (imageTypes.has(type)) media.imageCount++
  else if (audioTypes.has(type)) media.hasAudio = true
  else if (videoTypes.has(type)) media.hasVideo = true
  else if (fileTypes.has(type)) addFile(media, value as Body)
  if (hasLongCache(cache_control)) media.hasLongCacheLifetime = true
  for (const name in value) {
    const field = (value as Body)[name]
    if (typeof field === 'object') addMedia(media, field)
  }
}

/** Matches names and URLs of files without audio. */
const nonAudioFile = /\.(?:pdf|txt|md|csv|json|html?|docx?|xlsx?|pptx?|png|jpe?g|gif|webp)$/i
const audioDataUrl = /^data:audio\//i
const videoDataUrl = /^data:video\//i

/** Adds a file. Chat parts have it in `file`, responses parts in the part itself. */
function addFile(media: RequestMedia, part: Body): void {
  const file = { ...part, ...(part.file as Body | undefined) }
  const sources = [file.file_data, file.file_url, file.url, file.filename].filter(
    (source) => typeof source === 'string',
  )
  if (sources.some((source) => audioDataUrl.test(source.slice(0, 32)))) media.hasAudio = true
  else if (sources.some((source) => videoDataUrl.test(source.slice(0, 32)))) media.hasVideo = true
  else if (sources.some(canBeAudio) || !sources.some((source) => parseDataUrl(source) || nonAudioFile.test(source)))
    media.hasUnknownFiles = true
}

/** Whether a value is a data URL that can be audio: its bytes are not text, an image or a PDF. */
function canBeAudio(value: string): boolean {
  const url = parseDataUrl(value)
  if (!url) return false
  const medium = readMedium({ part: 'file' }, value)
  if (!medium || medium.kind === 'image') return false
  const head = decodeMedium(value, url, 1024)
  return !head || !isPossiblyPdf(head)
}

/** Whether a cache breakpoint has a lifetime other than five minutes, which is the default of Anthropic. */
function hasLongCache(cacheControl: unknown): boolean {
  const { ttl } = (cacheControl ?? {}) as { ttl?: unknown }
  return ttl != null && ttl !== '5m'
}

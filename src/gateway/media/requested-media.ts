import { bytesOfMedium, dataUrlOf, mayBePdf } from './media-bytes.ts'
import { mediumOf } from './medium.ts'

type Body = Record<string, unknown>

/** The parts of a request that are not text and may have a price of their own. */
export type Media = {
  images: number
  sound: boolean
  /** Which may have sound, too. */
  video: boolean
  /** Whether the request has files whose kind is unknown. */
  files: boolean
  /** Whether something is to be cached for longer than the usual five minutes. */
  longCache: boolean
}

/** A request is looked through once, however many endpoints are asked. */
const known = new WeakMap<Body, Media>()

export function mediaIn(request: Body): Media {
  return known.getOrInsertComputed(request, look)
}

function look(request: Body): Media {
  const found: Media = { images: 0, sound: false, video: false, files: false, longCache: isLong(request.cache_control) }
  for (const name of ['messages', 'input', 'system', 'instructions'])
    if (typeof request[name] === 'object') lookInto(found, request[name])
  for (const tool of Array.isArray(request.tools) ? request.tools : [])
    if (isLong(tool?.cache_control) || isLong(tool?.function?.cache_control)) found.longCache = true
  return found
}

const images: ReadonlySet<unknown> = new Set(['image_url', 'input_image', 'image', 'image_generation_call'])
const sounds: ReadonlySet<unknown> = new Set(['input_audio', 'audio', 'audio_url'])
const videos: ReadonlySet<unknown> = new Set(['video_url', 'input_video', 'video'])
const files: ReadonlySet<unknown> = new Set(['file', 'input_file', 'document', 'file_url'])

function lookInto(found: Media, value: unknown): void {
  if (Array.isArray(value)) {
    for (const one of value) lookInto(found, one)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const { type, cache_control } = value as Body
  if (images.has(type)) found.images++
  else if (sounds.has(type)) found.sound = true
  else if (videos.has(type)) found.video = true
  else if (files.has(type)) lookAtFile(found, value as Body)
  if (isLong(cache_control)) found.longCache = true
  for (const name in value) {
    const member = (value as Body)[name]
    if (typeof member === 'object') lookInto(found, member)
  }
}

/** Names and addresses of files that have no sound. */
const plainFile = /\.(?:pdf|txt|md|csv|json|html?|docx?|xlsx?|pptx?|png|jpe?g|gif|webp)$/i
const soundFile = /^data:audio\//i
const videoFile = /^data:video\//i

/** Chats have a file within the part, responses beside its type. */
function lookAtFile(found: Media, part: Body): void {
  const file = { ...part, ...(part.file as Body | undefined) }
  const said = [file.file_data, file.file_url, file.url, file.filename].filter((one) => typeof one === 'string')
  if (said.some((one) => soundFile.test(one.slice(0, 32)))) found.sound = true
  else if (said.some((one) => videoFile.test(one.slice(0, 32)))) found.video = true
  else if (said.some(mayBeSound) || !said.some((one) => dataUrlOf(one) || plainFile.test(one))) found.files = true
}

/** Whether a file within the request is not known by its bytes as text, a picture or a PDF. */
function mayBeSound(value: string): boolean {
  const url = dataUrlOf(value)
  if (!url) return false
  const medium = mediumOf({ part: 'file' }, value)
  if (!medium || medium.kind === 'image') return false
  const head = bytesOfMedium(value, url, 1024)
  return !head || !mayBePdf(head)
}

function isLong(cacheControl: unknown): boolean {
  const { ttl } = (cacheControl ?? {}) as { ttl?: unknown }
  return ttl != null && ttl !== '5m'
}

import type { Endpoint } from '#catalogue/index/model.ts'
import { audioSeconds } from './audio-length.ts'
import { type ImageSize, imageSize, isGif, isImage } from './image-size.ts'
import { imageTokenBound } from './image-tokens.ts'
import { type DataUrl, decodeMedium, isPossiblyPdf, isText, parseDataUrl } from './media-bytes.ts'

/** A part of a prompt that is not text. Properties that its bytes do not prove are bounded by the context length. */
export type Medium = {
  kind: 'image' | 'audio' | 'other'
  /** In pixels, if the bytes of the image are in the request. */
  size?: ImageSize | undefined
  /** The maximum tokens of audio, if its bytes limit its length. */
  tokens?: number
}

/** The most tokens that a model counts for a second of audio. */
const tokensPerSecond = 64
/**
 * The least bytes of a token of audio: a second of MP3 has at least 1,000 bytes. This bound also holds if a header declares too short a
 * length.
 */
const audioBytesPerToken = 16
/** Tokens that frame a piece of audio. */
const audioFrameTokens = 100

/** Audio formats with a provable length, by the names in `format` and in media types. */
const audioFormats = new Map<string, 'wav' | 'mp3'>([
  ['wav', 'wav'],
  ['wave', 'wav'],
  ['x-wav', 'wav'],
  ['mp3', 'mp3'],
  ['mpeg', 'mp3'],
])

/** Enough bytes of an image to find its size after the metadata of cameras. */
const imageHeadBytes = 256 * 1024

/** The declaration of a medium in a request: the type of its part, and its media type or format. */
type DeclaredMedium = { part: unknown; mediaType?: unknown; format?: unknown }

/**
 * Reads a medium of a request.
 * @param value bytes in base64, a data URL, or the URL of a remote file.
 * @returns undefined for a document in plain text, which counts as text.
 */
export function readMedium(declared: DeclaredMedium, value: string): Medium | undefined {
  const url = parseDataUrl(value)
  const partType = String(declared.part)
  const declaredKind = toMediumKind(partType)
  if (!url && /^[a-z]+:\/\//i.test(value)) return { kind: declaredKind }
  const type = url?.mediaType ?? String(declared.mediaType ?? '').toLowerCase()
  // The media type of a file decides. A video stays one, because its pictures also cost tokens.
  const kind = declaredKind === 'other' && !partType.includes('video') ? toMediumKind(type) : declaredKind
  if (kind === 'image') return readImage(value, url)
  if (kind === 'audio') return readAudio(value, url, url ? type : String(declared.format ?? type))
  if (url && type.startsWith('text/')) {
    const bytes = decodeMedium(value, url)
    if (bytes && isText(bytes)) return undefined
  }
  return { kind: 'other' }
}

function readImage(value: string, url: DataUrl | undefined): Medium {
  const head = decodeMedium(value, url, imageHeadBytes)
  if (!head || isPossiblyPdf(head) || !isImage(head)) return { kind: 'other' }
  const bytes = isGif(head) ? decodeMedium(value, url) : head
  return { kind: 'image', size: bytes && imageSize(bytes) }
}

function readAudio(value: string, url: DataUrl | undefined, type: string): Medium {
  const name = /^(?:audio\/)?([^;]*)/.exec(type)?.[1]?.trim() ?? ''
  const format = audioFormats.get(name)
  const bytes = format && decodeMedium(value, url)
  const seconds = bytes && audioSeconds(bytes, format)
  if (seconds === undefined) return { kind: 'audio' }
  const tokens = Math.max(bytes!.length / audioBytesPerToken, seconds * tokensPerSecond)
  return { kind: 'audio', tokens: Math.ceil(tokens) + audioFrameTokens }
}

/** @param type the type of a part, or a media type. */
export function toMediumKind(type: string): Medium['kind'] {
  if (type.includes('image')) return 'image'
  return type.includes('audio') ? 'audio' : 'other'
}

/** The maximum tokens of a medium. Infinite if only the context length limits it. */
export function mediumTokenBound({ kind, size, tokens }: Medium, { upstreamModel }: Endpoint): number {
  if (kind === 'image') return imageTokenBound(upstreamModel, size)
  return kind === 'audio' && tokens !== undefined ? tokens : Number.POSITIVE_INFINITY
}

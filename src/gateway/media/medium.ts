import type { Endpoint } from '#catalogue/index/model.ts'
import { audioSeconds } from './audio-length.ts'
import { type ImageSize, imageSize, isGif, isPicture } from './image-size.ts'
import { imageTokenBound } from './image-tokens.ts'
import { bytesOfMedium, type DataUrl, dataUrlOf, isText, mayBePdf } from './media-bytes.ts'

/** A part of a prompt that is not text, as far as its bytes prove. What they do not prove is bounded by the context. */
export type Medium = {
  kind: 'image' | 'audio' | 'other'
  /** In pixels, of a picture that is in the request and says so. */
  size?: ImageSize | undefined
  /** The most tokens of a recording whose bytes bound its length. */
  tokens?: number
}

/** No model that hears has more tokens for a second of sound. The longest second of an MP3 has 1,000 bytes. */
const tokensPerSecond = 64
const audioBytesPerToken = 16

/** Names of formats, in `format` or at the end of a media type, of sound whose length can be proven. */
const audioFormats = new Map([
  ...(['wav', 'wave', 'x-wav'] as const).map((name) => [name, 'wav'] as const),
  ...(['mp3', 'mpeg'] as const).map((name) => [name, 'mp3'] as const),
] as [string, 'wav' | 'mp3'][])

/** Enough of a picture to find its size behind what cameras put first. */
const headLength = 256 * 1024

/** What a request says of a medium: the type of its part, and its media type or format where it names one. */
export type Declared = { part: unknown; mediaType?: unknown; format?: unknown }

/**
 * @param value bytes in base64, plain or as a data URL; or where they are.
 * @returns undefined for a document in plain text, which counts as text.
 */
export function mediumOf(declared: Declared, value: string): Medium | undefined {
  const url = dataUrlOf(value)
  const part = kindOf(String(declared.part))
  if (!url && /^[a-z]+:\/\//i.test(value)) return { kind: part }
  const type = url?.mediaType ?? String(declared.mediaType ?? '').toLowerCase()
  const kind = part === 'other' && !String(declared.part).includes('video') ? kindOf(type) : part
  if (kind === 'image') return pictureIn(value, url)
  if (kind === 'audio') return soundIn(value, url, url ? type : String(declared.format ?? type))
  if (url && type.startsWith('text/')) {
    const bytes = bytesOfMedium(value, url)
    if (bytes && isText(bytes)) return undefined
  }
  return { kind: 'other' }
}

function pictureIn(value: string, url: DataUrl | undefined): Medium {
  const head = bytesOfMedium(value, url, headLength)
  if (!head || mayBePdf(head) || !isPicture(head)) return { kind: 'other' }
  const bytes = isGif(head) ? bytesOfMedium(value, url) : head
  return { kind: 'image', size: bytes && imageSize(bytes) }
}

function soundIn(value: string, url: DataUrl | undefined, type: string): Medium {
  const name = /^(?:audio\/)?([^;]*)/.exec(type)?.[1]?.trim() ?? ''
  const format = audioFormats.get(name)
  const bytes = format && bytesOfMedium(value, url)
  const seconds = bytes && audioSeconds(bytes, format)
  if (seconds === undefined) return { kind: 'audio' }
  const tokens = Math.max(bytes!.length / audioBytesPerToken, seconds * tokensPerSecond)
  return { kind: 'audio', tokens: Math.ceil(tokens) + 100 }
}

export function kindOf(type: string): Medium['kind'] {
  return type.includes('image') ? 'image' : type.includes('audio') ? 'audio' : 'other'
}

/** The most tokens that it can count as: infinite where there is no bound but the context. */
export function mediumTokenBound({ kind, size, tokens }: Medium, { upstreamModel }: Endpoint): number {
  if (kind === 'image') return imageTokenBound(upstreamModel, size)
  return kind === 'audio' && tokens !== undefined ? tokens : Number.POSITIVE_INFINITY
}

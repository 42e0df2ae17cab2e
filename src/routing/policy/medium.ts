import type { Endpoint } from '#catalogue/model.ts'
import { imageSize } from './image-size.ts'
import { imageTokenBound } from './image-tokens.ts'

/** A part of a prompt that is not text, as far as the request describes it. */
export type Medium = {
  kind: 'image' | 'audio' | 'other'
  /** In pixels, of an image that is in the request and says so. */
  size?: { width: number; height: number } | undefined
  /** The size of a medium whose bytes are in the request. */
  bytes?: number
}

/** No audio that is heard has more tokens than this. */
const audioBytesPerToken = 16

/** Audio whose bytes bound its length. */
const plainAudio = /^(?:data:audio\/(?:wav|wave|x-wav|mpeg|mp3)|wav$|mp3$)/

/** Enough of a picture to find its size behind what cameras put first. */
const headLength = 256 * 1024

/**
 * @param type of the part that it stands in.
 * @param value bytes in base64, plain or as a data URL; or where they are.
 */
export function mediumOf(type: unknown, value: string, format: unknown): Medium {
  const isUrl = value.startsWith('data:')
  const kind = kindOf(isUrl ? value.slice(0, 32) : String(type))
  if (/^[a-z]+:\/\//i.test(value)) return { kind }
  const from = isUrl ? value.indexOf(',') + 1 : 0
  const bytes = Math.ceil(((value.length - from) * 3) / 4)
  if (kind === 'image') {
    const head = Buffer.from(value.slice(from, from + headLength), 'base64')
    return { kind, bytes, size: imageSize(head) }
  }
  if (kind === 'audio' && plainAudio.test(isUrl ? value.slice(0, 32) : String(format))) return { kind, bytes }
  return { kind }
}

export function kindOf(said: string): Medium['kind'] {
  return said.includes('image') ? 'image' : said.includes('audio') ? 'audio' : 'other'
}

/** The most tokens that it can count as: the whole context where there is no bound. */
export function mediumTokenBound({ kind, size, bytes }: Medium, { upstreamModel }: Endpoint): number {
  if (kind === 'image') return imageTokenBound(upstreamModel, size)
  if (kind === 'audio' && bytes !== undefined) return Math.ceil(bytes / audioBytesPerToken) + 100
  return Number.POSITIVE_INFINITY
}

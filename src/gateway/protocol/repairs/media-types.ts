import { mapItems, mapTexts } from '#platform/json/map-texts.ts'
import type { Body } from '../request-body.ts'
import type { Repair } from './repair.ts'

/** Names of media types that clients use and providers refuse. */
const registeredNames: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
}

/** The first bytes of files, as latin1. */
const signatures: readonly [RegExp, string][] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^%PDF-/, 'application/pdf'],
]

/** The base64 of at least as many bytes as the longest signature has. */
const signatureDigits = 24

/** The media type that the first bytes of a file show; undefined if they match no signature. */
function detectMediaType(base64: string): string | undefined {
  const start = Buffer.from(base64.slice(0, signatureDigits), 'base64').toString('latin1')
  return signatures.find(([signature]) => signature.test(start))?.[1]
}

/**
 * The registered name of a media type, in lower case, because providers do not ignore case. Providers also compare the type
 * of an image with its content, so a wrong or missing one is corrected.
 */
function correctMediaType(mediaType: string, base64: string): string {
  const lower = mediaType.toLowerCase()
  const name = Object.hasOwn(registeredNames, lower) ? registeredNames[lower]! : lower
  const isUncertain = name === '' || name === 'application/octet-stream' || name.startsWith('image/')
  return (isUncertain ? detectMediaType(base64) : undefined) ?? name
}

/** Base64 without the line breaks of some encoders. */
const plainBase64 = (base64: string) => (/\s/.test(base64) ? base64.replaceAll(/\s+/g, '') : base64)

/** Longer than any media type. */
const maxTypeLength = 100

/** Text that is base64: so many of its characters in a row are not a URL, which has a colon, or a word. */
const base64Start = /^[a-z0-9+/]{16}/i

/** A data URL with the right media type. Some clients send base64 alone, which gets one. Other text stays as it is. */
export function correctDataUrl(url: string): string {
  if (!/^data:/i.test(url)) return base64Start.test(url) ? toDataUrl(url) : url
  const start = url.slice(0, maxTypeLength)
  const end = start.search(/[;,]/)
  const comma = start.indexOf(',')
  if (end < 0) return url
  const type = start.slice('data:'.length, end)
  const isBase64 = comma > 0 && /;base64$/i.test(start.slice(0, comma))
  const base64 = isBase64 ? plainBase64(url.slice(comma + 1)) : ''
  const correctType = correctMediaType(type, base64)
  const isPlain = !isBase64 || base64.length === url.length - comma - 1
  if (correctType === type && isPlain && start.startsWith('data:')) return url
  return `data:${correctType}${isBase64 ? `${url.slice(end, comma + 1)}${base64}` : url.slice(end)}`
}

function toDataUrl(base64: string): string {
  const type = detectMediaType(base64)
  return type === undefined ? base64 : `data:${type};base64,${plainBase64(base64)}`
}

/** Whether a URL contains a PDF. Some clients send every file as an image. */
export const isPdfUrl = (url: unknown): url is string =>
  typeof url === 'string' && /^data:application\/pdf[;,]/i.test(url)

/** @param urlPaths where bodies have data URLs. */
export function dataUrlRepair(urlPaths: readonly string[][]): Repair {
  return (body) => {
    let current: unknown = body
    for (const path of urlPaths) current = mapTexts(current, path, correctDataUrl)
    return current as typeof body
  }
}

/** @param paths where bodies have objects with a media type and base64. @param typeName the field with the type. */
export function inlineDataRepair(paths: readonly string[][], typeName: string): Repair {
  const withMediaType = (inline: Body): Body => {
    const { data, [typeName]: mediaType } = inline
    if (typeof data !== 'string' || typeof mediaType !== 'string' || inline.type === 'text') return inline
    const plain = plainBase64(data)
    const type = correctMediaType(mediaType, data)
    return plain === data && type === mediaType ? inline : { ...inline, data: plain, [typeName]: type }
  }
  return (body) => {
    let current: unknown = body
    for (const path of paths) current = mapObjects(current, path, withMediaType)
    return current as typeof body
  }
}

/** Changes the objects at a path, like `mapTexts`. */
function mapObjects(value: unknown, path: readonly string[], change: (object: Body) => Body, depth = 0): unknown {
  const name = path[depth]
  if (name === '*')
    return Array.isArray(value) ? mapItems(value, (item) => mapObjects(item, path, change, depth + 1)) : value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (name === undefined) return change(value as Body)
  const before = (value as Body)[name]
  const after = mapObjects(before, path, change, depth + 1)
  return after === before ? value : { ...value, [name]: after }
}

const textLike = /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|typescript|x-sh|sql|csv)$/

/** Whether a file is text, although its media type is not one of text. */
export const isTextType = (mediaType: string) => mediaType.startsWith('text/') || textLike.test(mediaType)

import { mapItems, mapTexts } from '#platform/json/map-texts.ts'
import type { Body } from '../request-body.ts'
import type { Repair } from './repair.ts'

/** The registered name of each media type that clients misspell and providers refuse. */
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

/** The length of base64 that contains the longest signature, in characters. */
const signatureDigits = 24

/** Detects a media type by the first bytes of a file. Undefined if they match no signature. */
function detectMediaType(base64: string): string | undefined {
  const start = Buffer.from(base64.slice(0, signatureDigits), 'base64').toString('latin1')
  return signatures.find(([signature]) => signature.test(start))?.[1]
}

/**
 * Returns the registered name of a media type, in lower case, because providers compare case. Providers also compare the type
 * of an image with its content, so a wrong or missing type is corrected.
 */
function correctMediaType(mediaType: string, base64: string): string {
  const lower = mediaType.toLowerCase()
  const name = Object.hasOwn(registeredNames, lower) ? registeredNames[lower]! : lower
  const isUncertain = name === '' || name === 'application/octet-stream' || name.startsWith('image/')
  return (isUncertain ? detectMediaType(base64) : undefined) ?? name
}

/** Base64 without the line breaks of some encoders. */
const plainBase64 = (base64: string) => (/\s/.test(base64) ? base64.replaceAll(/\s+/g, '') : base64)

/** Longer than any media type, in characters. */
const maxTypeLength = 100

/** Matches base64: a URL has a colon among its first characters, and words are shorter. */
const base64Start = /^[a-z0-9+/]{16}/i

/** Corrects the media type of a data URL. Adds it to base64 without a URL, which some clients send. Other text stays. */
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

/** Creates the repair that corrects data URLs. @param urlPaths the paths of data URLs in bodies. */
export function dataUrlRepair(urlPaths: readonly string[][]): Repair {
  return (body) => {
    let current: unknown = body
    for (const path of urlPaths) current = mapTexts(current, path, correctDataUrl)
    return current as typeof body
  }
}

/**
 * Creates the repair that corrects media types of inline data.
 * @param paths the paths of objects with a media type and base64 in bodies.
 * @param typeName the field of the object with the media type.
 */
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
  const fieldValue = (value as Body)[name]
  const changedValue = mapObjects(fieldValue, path, change, depth + 1)
  return changedValue === fieldValue ? value : { ...value, [name]: changedValue }
}

const textLike = /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|typescript|x-sh|sql|csv)$/

/** Whether files of a media type are text. */
export const isTextType = (mediaType: string) => mediaType.startsWith('text/') || textLike.test(mediaType)

import { mapTexts } from '#platform/json/map-texts.ts'
import type { Repair } from './repair.ts'

/** Names of media types that clients use and providers refuse. */
const registered: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
}

/** The registered name of a media type, in lower case, because providers do not ignore case. */
export function registeredType(mediaType: string): string {
  const lower = mediaType.toLowerCase()
  return registered[lower] ?? lower
}

/** Longer than any media type. */
const maxTypeLength = 100

/** A data URL with the registered name of its media type; any other text as it is. */
export function withRegisteredType(url: string): string {
  if (!/^data:/i.test(url)) return url
  const start = url.slice(0, maxTypeLength)
  const end = start.search(/[;,]/)
  if (end < 0) return url
  const type = start.slice('data:'.length, end)
  const registeredName = registeredType(type)
  return registeredName === type && start.startsWith('data:') ? url : `data:${registeredName}${url.slice(end)}`
}

/** @param paths where bodies have media types. @param urlPaths where they have data URLs. */
export function mediaTypeRepair(paths: readonly string[][], urlPaths: readonly string[][]): Repair {
  return (body) => {
    let current: unknown = body
    for (const path of paths) current = mapTexts(current, path, registeredType)
    for (const path of urlPaths) current = mapTexts(current, path, withRegisteredType)
    return current as typeof body
  }
}

import type { ByteRange } from '../../files/read-part.ts'

/**
 * Parses the range of bytes that a request asks for. Returns undefined for the whole file: also for several ranges or
 * an invalid header, which a server may answer with the whole file.
 */
export function parseRange(header: string | string[] | undefined): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(String(header ?? '').trim()) ?? []
  if (first === '') return last === '' ? undefined : { suffix: Number(last) }
  if (last === '') return { first: Number(first) }
  return Number(last) < Number(first) ? undefined : { first: Number(first), last: Number(last) }
}

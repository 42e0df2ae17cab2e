/** From the first byte to the last, or the last `suffix` bytes. */
export type RequestedRange = { first: number; last?: number } | { suffix: number }

/**
 * The range of bytes that a request asks for. Undefined where it wants all, also by several ranges at once or by one that
 * is not written as it should be: both may be answered with all.
 */
export function rangeOf(header: string | string[] | undefined): RequestedRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(String(header ?? '').trim()) ?? []
  if (first === '') return last === '' ? undefined : { suffix: Number(last) }
  if (last === '') return { first: Number(first) }
  return Number(last) < Number(first) ? undefined : { first: Number(first), last: Number(last) }
}

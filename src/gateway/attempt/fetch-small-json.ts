import { withoutByteOrderMark } from '#platform/text/decode-bytes.ts'
import type { Timeouts } from './upstream/timeouts.ts'
import type { UpstreamRequest, Upstreams } from './upstream/upstream.ts'

/** Longer than any response that is expected to be small. */
const maxBytes = 64 * 1024

/**
 * Fetches a small JSON response of an upstream, such as a token count. Undefined if it cannot be read, is too long, or takes
 * longer than the timeout for the first byte.
 */
export function fetchSmallJson(
  { upstreams, timeouts }: { upstreams: Pick<Upstreams, 'send'>; timeouts: Timeouts },
  request: UpstreamRequest,
): Promise<{ status: number; body: unknown } | undefined> {
  const { promise, resolve } = Promise.withResolvers<{ status: number; body: unknown } | undefined>()
  const pieces: Buffer[] = []
  let status = 0
  let bytes = 0
  const timer = setTimeout(() => exchange.abort(), timeouts.firstByteMs)
  const finish = (response: { status: number; body: unknown } | undefined) => {
    clearTimeout(timer)
    resolve(response)
  }
  const exchange = upstreams.send(request, timeouts, {
    head: (receivedStatus) => {
      status = receivedStatus
    },
    data: (piece) => {
      bytes += piece.length
      if (bytes <= maxBytes) pieces.push(piece)
      else exchange.abort()
    },
    end: () => finish(bytes <= maxBytes ? parseResponse(status, Buffer.concat(pieces)) : undefined),
    fail: () => finish(undefined),
  })
  return promise
}

function parseResponse(status: number, bytes: Buffer): { status: number; body: unknown } | undefined {
  try {
    return { status, body: JSON.parse(withoutByteOrderMark(bytes).toString('utf8')) }
  } catch {
    return undefined
  }
}

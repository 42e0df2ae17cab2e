import { withoutMark } from '#platform/text/text-of-bytes.ts'
import type { Deadlines } from './upstream/deadlines.ts'
import type { UpstreamRequest, Upstreams } from './upstream/upstream.ts'

/** Longer than any answer that is small by its nature. */
const mostBytes = 64 * 1024

/**
 * A small JSON answer of an upstream, to a question beside completions. Undefined when there is none to be read, or all of
 * it takes longer than a first byte may: nobody waits for what comes byte by byte.
 */
export function fetchWholeAnswer(
  { upstreams, deadlines }: { upstreams: Pick<Upstreams, 'send'>; deadlines: Deadlines },
  request: UpstreamRequest,
): Promise<{ status: number; body: unknown } | undefined> {
  const { promise, resolve } = Promise.withResolvers<{ status: number; body: unknown } | undefined>()
  const pieces: Buffer[] = []
  let [status, bytes] = [0, 0]
  const waiting = setTimeout(() => exchange.abort(), deadlines.firstByteMs)
  const over = (answer: { status: number; body: unknown } | undefined) => {
    clearTimeout(waiting)
    resolve(answer)
  }
  const exchange = upstreams.send(request, deadlines, {
    head: (told) => {
      status = told
    },
    data: (piece) => {
      bytes += piece.length
      if (bytes <= mostBytes) pieces.push(piece)
      else exchange.abort()
    },
    end: () => over(bytes <= mostBytes ? readable(status, Buffer.concat(pieces)) : undefined),
    failed: () => over(undefined),
  })
  return promise
}

function readable(status: number, bytes: Buffer): { status: number; body: unknown } | undefined {
  try {
    return { status, body: JSON.parse(withoutMark(bytes).toString('utf8')) }
  } catch {
    return undefined
  }
}

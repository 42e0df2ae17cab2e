import type { IncomingMessage } from 'node:http'
import { Fault } from '../../core/fault.ts'
import { readRequestBody } from './request-body.ts'

/**
 * The lowest rate at which a body can arrive, as a token bucket of waiting time. The bucket holds `pauseMs` and is full at first.
 * Waiting for data empties it, and each piece of data refills it by the time that the piece takes at `bytesPerSecond`.
 */
export type BodyPace = { bytesPerSecond: number; pauseMs: number }

/**
 * Iterates over the body of a request that arrives fast enough. The time that the reader takes for a piece does not count.
 * The connection stays open for the response, even if the reader stops early.
 * @throws Fault `request_timeout` for a body that arrives too slowly.
 */
export async function* readPacedBody(request: IncomingMessage, pace: BodyPace): AsyncGenerator<Buffer> {
  const pieces = readRequestBody(request)[Symbol.asyncIterator]()
  async function nextWithin(ms: number): Promise<IteratorResult<Buffer>> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(tooSlow(pace)), ms).unref()
    try {
      return await Promise.race([pieces.next(), timeout])
    } finally {
      clearTimeout(timer)
    }
  }
  let remainingMs = pace.pauseMs
  try {
    for (;;) {
      const waitStartedAt = performance.now()
      const { done, value } = await nextWithin(remainingMs)
      if (done) return
      const restoredMs = (value.length * 1000) / pace.bytesPerSecond
      remainingMs = Math.min(pace.pauseMs, remainingMs - (performance.now() - waitStartedAt) + restoredMs)
      yield value
    }
  } finally {
    // Not awaited: it settles after the pending read of a slow body.
    pieces.return?.().catch(() => {})
  }
}

const tooSlow = ({ bytesPerSecond, pauseMs }: BodyPace) =>
  new Fault(
    'request_timeout',
    `The body arrived too slowly: send at least ${bytesPerSecond} bytes per second, and pause for at most ${pauseMs / 1000} seconds.`,
  )

import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { TokenBucket } from '#platform/async/limits/token-bucket.ts'
import { TimeSlices } from '#platform/async/time-slices.ts'
import { Fault } from '#platform/core/fault.ts'
import { LineReader } from '#platform/text/lines.ts'
import { closesStream, maxEventBytes, type TurnEvent } from '../contract/turn-event.ts'
import { readEvent } from './read-event.ts'

const failedEvent = (
  reason: 'turn_failed' | 'stream_severed',
  message: string,
  { retryable }: { retryable: boolean },
): TurnEvent => ({
  type: 'turn.failed',
  reason,
  message,
  retryable,
  model: null,
  usage: null,
})
const severedEvent = failedEvent('stream_severed', 'The connection to the intern broke.', { retryable: true })

/** The event loop's time for the events of all interns together: slices of 5 milliseconds. */
const sharedSlices = new TimeSlices(5)

/**
 * The rate limit of one stream, far above what any model writes. An event counts 1, plus 1 for each 4 KiB, so a stream is also
 * limited to 20 MB per second.
 */
const rateLimit = { perSecond: 5000, atOnce: 20_000, bytesPerUnit: 4096 }

type Pacing = { slices: Pick<TimeSlices, 'waitIfUsedUp'>; now: () => number; wait: (ms: number) => Promise<unknown> }
const defaultPacing: Pacing = { slices: sharedSlices, now: () => performance.now(), wait: (ms) => sleep(ms) }

/**
 * The events of a daemon's response, up to the closing event. The daemon can be compromised: a line is parsed only when the
 * caller reads the next event, and all streams share a time slice. A broken stream ends with `stream_severed`, an invalid stream
 * with `turn_failed`. `next` rejects if `signal` aborted the stream.
 *
 * An explicit iterator, because the text of all interns passes through it, and a generator would cost more than its work.
 */
export function readEvents(
  response: IncomingMessage,
  signal: AbortSignal,
  { slices, now, wait }: Pacing = defaultPacing,
): AsyncIterableIterator<TurnEvent> {
  const lines = new LineReader(maxEventBytes)
  const eventRate = new TokenBucket({ perSecond: rateLimit.perSecond, capacity: rateLimit.atOnce, now })
  const chunks: Buffer[] = []
  let isBroken = false
  let isOver = false
  let wake: (() => void) | undefined

  const close = () => {
    isOver = true
    response.destroy()
    wake?.()
  }
  response.on('data', (chunk: Buffer) => {
    response.pause()
    chunks.push(chunk)
    // Reads the rest that has arrived as one chunk, with another `data` event: a compromised daemon can send a chunk for each byte.
    if (response.readableLength > 0) response.read(response.readableLength)
    wake?.()
  })
  response.on('error', () => {})
  response.on('close', () => {
    isBroken = true
    wake?.()
  })

  /** @returns undefined after the last line. */
  const nextLine = async (): Promise<string | undefined> => {
    for (;;) {
      const line = lines.next()
      if (line !== undefined) return line
      const chunk = chunks.shift()
      if (chunk) {
        const nextSlice = slices.waitIfUsedUp()
        if (nextSlice) await nextSlice
        lines.push(chunk)
      } else if (isBroken || isOver) return undefined
      else await waitForData()
    }
  }
  const waitForData = () =>
    new Promise<void>((resolve) => {
      wake = () => {
        wake = undefined
        resolve()
      }
      response.resume()
    })
  const nextEvent = async (): Promise<TurnEvent | undefined> => {
    try {
      const line = await nextLine()
      if (line === undefined) return undefined
      const waitMs = eventRate.take(1 + line.length / rateLimit.bytesPerUnit)
      if (waitMs > 0) await wait(waitMs)
      // Waits for only one slice, even if that slice is used up as well, so that each stream makes progress.
      const nextSlice = slices.waitIfUsedUp()
      if (nextSlice) await nextSlice
      return readEvent(line)
    } catch (error) {
      return failedEvent('turn_failed', `The response of the intern is invalid: ${reasonOf(error)}.`, {
        retryable: false,
      })
    }
  }

  const next = async (): Promise<IteratorResult<TurnEvent, undefined>> => {
    const event = isOver ? undefined : await nextEvent()
    if (isOver) return { done: true, value: undefined }
    if (event === undefined && signal.aborted) throw signal.reason
    const value = event ?? severedEvent
    if (closesStream(value)) close()
    return { done: false, value }
  }
  const leave = async () => {
    close()
    return { done: true as const, value: undefined }
  }
  const iterator = { next, return: leave, [Symbol.asyncIterator]: () => iterator }
  return iterator
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Fault)) throw error
  return error.kind === 'payload_too_large' ? `an event is over ${maxEventBytes} bytes` : error.message
}

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
 * Reads the events of a daemon's response, up to the closing event. A broken stream ends with `stream_severed`, an invalid
 * stream with `turn_failed`. `next` rejects if `signal` aborted the stream.
 */
export function readEvents(
  response: IncomingMessage,
  signal: AbortSignal,
  pacing: Pacing = defaultPacing,
): AsyncIterableIterator<TurnEvent> {
  return new DaemonEvents(response, signal, pacing)
}

/**
 * The events of a response. The daemon can be compromised: a line is parsed only when the caller reads the next event, and
 * all streams share a time slice.
 *
 * An explicit iterator, because the text of all interns passes through it, and a generator would cost more than its work.
 */
class DaemonEvents implements AsyncIterableIterator<TurnEvent, undefined> {
  readonly #response: IncomingMessage
  readonly #signal: AbortSignal
  readonly #pacing: Pacing
  readonly #rate: TokenBucket
  readonly #lines = new LineReader(maxEventBytes)
  readonly #chunks: Buffer[] = []
  #isBroken = false
  #isOver = false
  /** Ends the wait for data. */
  #wake: (() => void) | undefined

  constructor(response: IncomingMessage, signal: AbortSignal, pacing: Pacing) {
    this.#response = response
    this.#signal = signal
    this.#pacing = pacing
    this.#rate = new TokenBucket({ perSecond: rateLimit.perSecond, capacity: rateLimit.atOnce, now: pacing.now })
    response.on('data', (chunk: Buffer) => this.#receive(chunk))
    response.on('error', () => {})
    response.on('close', () => {
      this.#isBroken = true
      this.#wake?.()
    })
  }

  async next(): Promise<IteratorResult<TurnEvent, undefined>> {
    const event = this.#isOver ? undefined : await this.#nextEvent()
    if (this.#isOver) return { done: true, value: undefined }
    if (event === undefined && this.#signal.aborted) throw this.#signal.reason
    const value = event ?? severedEvent
    if (closesStream(value)) this.#close()
    return { done: false, value }
  }

  async return(): Promise<IteratorResult<TurnEvent, undefined>> {
    this.#close()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** @returns undefined at the end of the response. */
  async #nextEvent(): Promise<TurnEvent | undefined> {
    const { slices, wait } = this.#pacing
    try {
      const line = await this.#nextLine()
      if (line === undefined) return undefined
      const waitMs = this.#rate.take(1 + line.length / rateLimit.bytesPerUnit)
      if (waitMs > 0) await wait(waitMs)
      // Waits for only one slice, even if that slice is used up as well, so that each stream makes progress.
      const nextSlice = slices.waitIfUsedUp()
      if (nextSlice) await nextSlice
      return readEvent(line)
    } catch (error) {
      const message = `The response of the intern is invalid: ${reasonOf(error)}.`
      return failedEvent('turn_failed', message, { retryable: false })
    }
  }

  /** @returns undefined after the last line. */
  async #nextLine(): Promise<string | undefined> {
    for (;;) {
      const line = this.#lines.next()
      if (line !== undefined) return line
      const chunk = this.#chunks.shift()
      if (chunk) {
        const nextSlice = this.#pacing.slices.waitIfUsedUp()
        if (nextSlice) await nextSlice
        this.#lines.push(chunk)
      } else if (this.#isBroken || this.#isOver) return undefined
      else await this.#waitForData()
    }
  }

  #waitForData(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = () => {
      this.#wake = undefined
      resolve()
    }
    this.#response.resume()
    return promise
  }

  #receive(chunk: Buffer): void {
    const response = this.#response
    response.pause()
    this.#chunks.push(chunk)
    // Reads the rest that has arrived as one chunk, with another `data` event: a compromised daemon can send a chunk for each byte.
    if (response.readableLength > 0) response.read(response.readableLength)
    this.#wake?.()
  }

  #close(): void {
    this.#isOver = true
    this.#response.destroy()
    this.#wake?.()
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Fault)) throw error
  return error.kind === 'payload_too_large' ? `an event is over ${maxEventBytes} bytes` : error.message
}

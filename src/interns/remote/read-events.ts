import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { TimeSlices } from '#platform/async/time-slices.ts'
import { TokenBucket } from '#platform/async/token-bucket.ts'
import { LineReader, LineTooLong } from '#platform/text/lines.ts'
import { closesStream, maxEventBytes, type TurnEvent } from '../contract/turn-event.ts'
import { NotAnEvent, readEvent } from './read-event.ts'

const failed = (reason: 'turn_failed' | 'stream_severed', message: string, retryable: boolean): TurnEvent => ({
  ...{ type: 'turn.failed', reason, message, retryable },
  ...{ model: null, usage: null },
})
const severed = failed('stream_severed', 'The connection to the intern broke.', true)

/** All interns together have this much of the event loop at a time. */
const slices = new TimeSlices(5)

/**
 * The most that one stream may send: far more than any model writes. An event counts 1, plus 1 for each 4 KiB, so this
 * also limits a stream to 20 MB a second.
 */
const rateLimit = { perSecond: 5000, atOnce: 20_000, bytesPerUnit: 4096 }

type Pacing = { slices: Pick<TimeSlices, 'used'>; now: () => number; wait: (ms: number) => Promise<unknown> }
const usualPacing: Pacing = { slices, now: () => performance.now(), wait: (ms) => sleep(ms) }

/**
 * The events of a daemon's answer, up to the one that closes it. Whoever speaks there may have taken over its daemon:
 * each line is looked at only when the caller wants it, and never holds up anyone else. A stream that breaks ends with
 * `stream_severed`, one that is not of the contract with `turn_failed`; where `signal` broke it, it rejects.
 *
 * Written out, since every word of every intern passes here, and generators over a stream cost more than what they do.
 */
export function readEvents(
  response: IncomingMessage,
  signal: AbortSignal,
  { slices, now, wait }: Pacing = usualPacing,
): AsyncIterableIterator<TurnEvent> {
  const lines = new LineReader(maxEventBytes)
  const allowed = new TokenBucket(rateLimit.perSecond, rateLimit.atOnce, now)
  const chunks: Buffer[] = []
  let broken = false
  let over = false
  let wake: (() => void) | undefined

  const close = () => {
    over = true
    response.destroy()
    wake?.()
  }
  response.on('data', (chunk: Buffer) => {
    response.pause()
    chunks.push(chunk)
    wake?.()
  })
  response.on('error', () => {})
  response.on('close', () => {
    broken = true
    wake?.()
  })

  /** @returns undefined when there will be no more. */
  const nextLine = async (): Promise<string | undefined> => {
    for (;;) {
      const line = lines.next()
      if (line !== undefined) return line
      const chunk = chunks.shift()
      if (chunk) lines.push(chunk)
      else if (broken || over) return undefined
      else await more()
    }
  }
  const more = () =>
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
      const waitMs = allowed.take(1 + line.length / rateLimit.bytesPerUnit)
      if (waitMs > 0) await wait(waitMs)
      // Once only: whoever has waited does the one thing it waited for, however many others did.
      const turn = slices.used()
      if (turn) await turn
      return readEvent(line)
    } catch (error) {
      return failed('turn_failed', `The intern is not to be understood: ${reasonOf(error)}.`, false)
    }
  }

  const next = async (): Promise<IteratorResult<TurnEvent, undefined>> => {
    const event = over ? undefined : await nextEvent()
    if (over) return { done: true, value: undefined }
    if (event === undefined && signal.aborted) throw signal.reason
    const value = event ?? severed
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
  if (error instanceof NotAnEvent) return `in what it says, ${error.message}`
  if (error instanceof LineTooLong) return `an event is over ${maxEventBytes} bytes`
  throw error
}

import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { TimeSlices } from '#platform/async/time-slices.ts'
import { TokenBucket } from '#platform/async/token-bucket.ts'
import { Fault } from '#platform/core/fault.ts'
import { LineReader } from '#platform/text/lines.ts'
import { closesStream, maxEventBytes, type TurnEvent } from '../contract/turn-event.ts'
import { readEvent } from './read-event.ts'

const failed = (reason: 'turn_failed' | 'stream_severed', message: string, retryable: boolean): TurnEvent => ({
  type: 'turn.failed',
  reason,
  message,
  retryable,
  model: null,
  usage: null,
})
const severed = failed('stream_severed', 'The connection to the intern broke.', true)

/** The time slice of the event loop for all interns together, in milliseconds. */
const slices = new TimeSlices(5)

/**
 * The limit of one stream, far above what any model writes. An event counts 1, plus 1 for each 4 KiB, so this also limits a stream
 * to 20 MB per second.
 */
const rateLimit = { perSecond: 5000, atOnce: 20_000, bytesPerUnit: 4096 }

type Pacing = { slices: Pick<TimeSlices, 'waitIfUsedUp'>; now: () => number; wait: (ms: number) => Promise<unknown> }
const defaultPacing: Pacing = { slices, now: () => performance.now(), wait: (ms) => sleep(ms) }

/**
 * The events of a daemon's response, up to the closing one. The daemon can be compromised: a line is parsed only when the caller
 * reads it, and all streams share a time slice. A broken stream ends with `stream_severed`, an invalid one with `turn_failed`. It
 * rejects if `signal` aborted it.
 *
 * An explicit iterator, because all text of all interns passes here, and a generator costs more than its work.
 */
export function readEvents(
  response: IncomingMessage,
  signal: AbortSignal,
  { slices, now, wait }: Pacing = defaultPacing,
): AsyncIterableIterator<TurnEvent> {
  const lines = new LineReader(maxEventBytes)
  const allowed = new TokenBucket(rateLimit.perSecond, rateLimit.atOnce, now)
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
    wake?.()
  })
  response.on('error', () => {})
  response.on('close', () => {
    isBroken = true
    wake?.()
  })

  /** @returns undefined when there will be no more. */
  const nextLine = async (): Promise<string | undefined> => {
    for (;;) {
      const line = lines.next()
      if (line !== undefined) return line
      const chunk = chunks.shift()
      if (chunk) lines.push(chunk)
      else if (isBroken || isOver) return undefined
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
      // Waits once, so that each stream makes progress.
      const turn = slices.waitIfUsedUp()
      if (turn) await turn
      return readEvent(line)
    } catch (error) {
      return failed('turn_failed', `The response of the intern is invalid: ${reasonOf(error)}.`, false)
    }
  }

  const next = async (): Promise<IteratorResult<TurnEvent, undefined>> => {
    const event = isOver ? undefined : await nextEvent()
    if (isOver) return { done: true, value: undefined }
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
  if (!(error instanceof Fault)) throw error
  return error.kind === 'payload_too_large' ? `an event is over ${maxEventBytes} bytes` : error.message
}

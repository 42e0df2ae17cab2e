import type { IncomingMessage } from 'node:http'
import { lineCutter } from '#lib/lines.ts'
import { closesStream, type TurnEvent } from './turn-event.ts'

/** One event of a daemon is never longer. */
const maxEventBytes = 64 * 1024 * 1024

const severed: TurnEvent = {
  type: 'turn.failed',
  reason: 'stream_severed',
  message: 'The connection to the intern broke.',
  retryable: true,
  model: null,
  usage: null,
}

/**
 * The events of a daemon's answer, up to the one that closes it. Nothing is read while the caller is busy with what
 * came before. A stream that breaks ends with `stream_severed`, like any other; where `signal` broke it, it rejects.
 *
 * Written out, since every word of every intern passes here, and generators over a stream cost more than what they do.
 */
export function readEvents(response: IncomingMessage, signal: AbortSignal): AsyncIterableIterator<TurnEvent> {
  const cut = lineCutter(maxEventBytes)
  const events: TurnEvent[] = []
  let broken = false
  let over = false
  let wake: (() => void) | undefined

  const close = () => {
    over = true
    response.destroy()
  }
  response.on('data', (chunk: Buffer) => {
    try {
      for (const line of cut(chunk)) events.push(JSON.parse(line) as TurnEvent)
    } catch {
      response.destroy()
    }
    if (wake) wake()
    else response.pause()
  })
  response.on('error', () => {})
  response.on('close', () => {
    broken = true
    wake?.()
  })

  const next = async (): Promise<IteratorResult<TurnEvent, undefined>> => {
    while (events.length === 0 && !broken && !over) {
      response.resume()
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      wake = undefined
    }
    if (over) return { done: true, value: undefined }
    if (events.length === 0 && signal.aborted) throw signal.reason
    const event = events.shift() ?? severed
    if (closesStream(event) || event === severed) close()
    return { done: false, value: event }
  }
  const leave = async () => {
    close()
    wake?.()
    return { done: true as const, value: undefined }
  }
  const iterator = { next, return: leave, [Symbol.asyncIterator]: () => iterator }
  return iterator
}

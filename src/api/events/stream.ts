import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '#identity/accounts/caller.ts'
import { abortSignalOf } from '#platform/async/leave-signal.ts'
import { caughtUpWith } from '#platform/net/caught-up.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { type Cursor, cursorText, type EventType, type LiveEvent, readCursor } from './live-event.ts'
import type { Listener, LiveEvents } from './live-events.ts'

/** How long a browser waits before it comes again. */
const retryMs = 1000

/** Which events, and from where on: without a cursor from now on. */
export type Wanted = { types: ReadonlySet<EventType>; lastEventId: string | undefined }

type StreamDeps = { liveEvents: LiveEvents; keepaliveMs: number }

/**
 * Tells a listener what happens until it leaves or the server stops. A slow reader is waited for: it goes on where it was,
 * or is told to begin anew when that is forgotten.
 */
export async function streamEvents(
  { liveEvents, keepaliveMs }: StreamDeps,
  listener: Listener,
  response: ResponseStream,
  { types, lastEventId }: Wanted,
): Promise<void> {
  const wanted = lastEventId === undefined ? await liveEvents.newest() : readCursor(lastEventId)
  const caughtUp = caughtUpWith(response)
  const left = abortSignalOf(response.signal)
  const stream = { cursor: wanted ?? nowhere, response }
  response.write(`retry: ${retryMs}\n${lastEventId === undefined ? `id: ${cursorText(stream.cursor)}\n` : ''}\n`)
  while (!response.signal.aborted && !listener.isOver) {
    const woken = Promise.withResolvers<void>()
    listener.wake = woken.resolve
    const following = await liveEvents.after(listener, stream.cursor)
    if (following === 'unknown') {
      stream.cursor = await liveEvents.newest()
      response.write(eventText('reset', stream.cursor, '{"reason":"too_old"}'))
    } else if (following) {
      const told = following.events.every((event) => tell(stream, event, types, listener.caller))
      if (told) stream.cursor = following.upTo
      else await caughtUp()
    } else if (!(await soon(woken.promise, left, keepaliveMs))) {
      // Where it is, so that it need not begin anew after a long silence.
      if (!response.write(`: keepalive\nid: ${cursorText(stream.cursor)}\n\n`)) await caughtUp()
    }
  }
  response.end()
}

/** Before all that there is: to be told so. */
const nowhere: Cursor = { seq: -1, n: 0 }

/** @returns false when the reader is slow: then no more is written. */
function tell(
  stream: { cursor: Cursor; response: ResponseStream },
  event: LiveEvent,
  types: ReadonlySet<EventType>,
  caller: Caller,
): boolean {
  const { response } = stream
  stream.cursor = event
  const data = types.has(event.type) ? event.dataFor(caller) : undefined
  return data === undefined || (response.write(eventText(event.type, event, data)) && !response.signal.aborted)
}

const eventText = (type: string, cursor: Cursor, data: string) =>
  `event: ${type}\nid: ${cursorText(cursor)}\ndata: ${data}\n\n`

/** @returns whether it came within the time. */
async function soon(woken: Promise<void>, signal: AbortSignal, ms: number): Promise<boolean> {
  const over = new AbortController()
  const both = AbortSignal.any([signal, over.signal])
  const late = sleep(ms, false, { signal: both, ref: false }).catch(() => true)
  const came = await Promise.race([woken.then(() => true), late])
  over.abort()
  return came
}

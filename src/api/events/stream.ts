import type { Caller } from '#identity/accounts/caller.ts'
import { toAbortSignal } from '#platform/async/disconnect-signal.ts'
import { waitForWake } from '#platform/async/wait-for-wake.ts'
import { createDrainWaiter } from '#platform/net/drain-waiter.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { type Cursor, cursorText, type EventType, type LiveEvent, readCursor } from './live-event.ts'
import type { Listener, LiveEvents } from './live-events.ts'

/** The delay before a browser reconnects. */
const retryMs = 1000

/** The types of events and the position to start from, by default now. */
type StreamOptions = { types: ReadonlySet<EventType>; lastEventId: string | undefined }

type StreamDeps = { liveEvents: LiveEvents; keepaliveMs: number }

/**
 * Sends events to a listener until it disconnects or the server stops. Waits for slow clients, which then continue at
 * their position. If the log no longer has it, they get a `reset` event.
 */
export async function streamEvents(
  { liveEvents, keepaliveMs }: StreamDeps,
  listener: Listener,
  response: ResponseStream,
  { types, lastEventId }: StreamOptions,
): Promise<void> {
  const startCursor = lastEventId === undefined ? await liveEvents.newestCursor() : readCursor(lastEventId)
  const waitForDrain = createDrainWaiter(response)
  const disconnectSignal = toAbortSignal(response.signal)
  const stream = { cursor: startCursor ?? beforeAll, response }
  response.write(`retry: ${retryMs}\n${lastEventId === undefined ? `id: ${cursorText(stream.cursor)}\n` : ''}\n`)
  while (!response.signal.aborted && !listener.hasEnded) {
    const wake = Promise.withResolvers<void>()
    listener.wake = wake.resolve
    const result = await liveEvents.eventsAfter(listener, stream.cursor)
    if (result === 'unknown') {
      stream.cursor = await liveEvents.newestCursor()
      response.write(eventText('reset', stream.cursor, '{"reason":"too_old"}'))
    } else if (result) {
      const isComplete = result.events.every((event) => sendEvent(stream, event, types, listener.caller))
      if (isComplete) stream.cursor = result.cursor
      else await waitForDrain()
    } else if (!(await waitForWake(wake.promise, disconnectSignal, keepaliveMs))) {
      // The keepalive has the current position, so that a client can resume after a long silence.
      if (!response.write(`: keepalive\nid: ${cursorText(stream.cursor)}\n\n`)) await waitForDrain()
    }
  }
  response.end()
}

/** A position before all rows, which leads to a `reset` event. */
const beforeAll: Cursor = { seq: -1, index: 0 }

/** @returns false for a slow client: the caller must wait before writing more. */
function sendEvent(
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

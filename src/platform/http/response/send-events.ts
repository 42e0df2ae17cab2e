import type { Fault } from '../../core/fault.ts'
import { createDrainWaiter } from '../../net/drain-waiter.ts'
import type { ResponseStream } from '../../net/response-stream.ts'
import { faultStatus } from './faults.ts'

/** Ends a stream of events with an `end` event that has the reason. */
export function sendEndEvent(response: ResponseStream, { kind, message }: Fault): void {
  const error = { code: faultStatus[kind], message }
  response.write(`event: end\ndata: ${JSON.stringify({ error })}\n\n`)
  response.end()
}

/** The text of a stream: before the first event, for each event, and after the last. */
type EventText<Event> = { opening: string; textOf: (event: Event) => string; closing: string }

/**
 * Writes a stream of events as fast as its reader takes them, and a comment after each idle interval. Stops without an
 * error when the reader disconnects.
 */
export async function sendEvents<Event>(
  response: ResponseStream,
  events: AsyncIterable<Event>,
  text: EventText<Event>,
  keepaliveMs: number,
): Promise<void> {
  const keepaliveTimer = setInterval(() => response.write(': keepalive\n\n'), keepaliveMs)
  try {
    response.write(text.opening)
    const waitForDrain = createDrainWaiter(response)
    for await (const event of events) {
      keepaliveTimer.refresh()
      const piece = text.textOf(event)
      if (piece && !response.write(piece)) await waitForDrain()
      if (response.signal.aborted) return
    }
    response.write(text.closing)
    response.end()
  } catch (error) {
    if (!response.signal.aborted) throw error
  } finally {
    clearInterval(keepaliveTimer)
  }
}

import type { Outlet } from '#lib/outlet.ts'

/** How events read on the wire: what comes before the first, each of them, and what comes after the last. */
export type EventText<Event> = { opening: string; of: (event: Event) => string; closing: string }

/**
 * Writes a stream of events as fast as its reader takes them, and a comment whenever there was nothing to write for a
 * while. Stops, without a fuss, when the reader leaves.
 */
export async function sendEvents<Event>(
  outlet: Outlet,
  events: AsyncIterable<Event>,
  text: EventText<Event>,
  keepaliveMs: number,
): Promise<void> {
  const idle = setInterval(() => outlet.write(': keepalive\n\n'), keepaliveMs)
  try {
    outlet.write(text.opening)
    const caughtUp = reader(outlet)
    for await (const event of events) {
      idle.refresh()
      const piece = text.of(event)
      if (piece && !outlet.write(piece)) await caughtUp()
      if (outlet.signal.aborted) return
    }
    outlet.write(text.closing)
    outlet.end()
  } catch (error) {
    if (!outlet.signal.aborted) throw error
  } finally {
    clearInterval(idle)
  }
}

/** @returns a function whose promise resolves when the reader has caught up, or is gone. */
function reader(outlet: Outlet): () => Promise<void> {
  let wake = () => {}
  outlet.onDrain(() => wake())
  outlet.signal.addEventListener('abort', () => wake(), { once: true })
  return () =>
    new Promise((resolve) => {
      wake = resolve
      if (outlet.signal.aborted) resolve()
    })
}

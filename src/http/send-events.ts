import type { Outlet } from '#lib/outlet.ts'

/**
 * Writes a stream of events as fast as its reader takes them, and a comment whenever there was nothing to write for a
 * while. Stops, without a fuss, when the reader leaves.
 */
export async function sendEvents(outlet: Outlet, events: AsyncIterable<string>, keepaliveMs: number): Promise<void> {
  const idle = setInterval(() => outlet.write(': keepalive\n\n'), keepaliveMs)
  const caughtUp = reader(outlet)
  try {
    for await (const event of events) {
      idle.refresh()
      if (!outlet.write(event)) await caughtUp()
      if (outlet.signal.aborted) return
    }
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

import type { ResponseStream } from './response-stream.ts'

/**
 * @returns a function that waits until the client has received the buffered bytes, or has disconnected. Call it directly after
 * `write` returned false, and not again before it resolves: an earlier drain event or a second call would leave a wait pending.
 */
export function createDrainWaiter(response: ResponseStream): () => Promise<void> {
  let wake = () => {}
  response.onDrain(() => wake())
  response.signal.addEventListener('abort', () => wake(), { once: true })
  return () =>
    new Promise((resolve) => {
      wake = resolve
      if (response.signal.aborted) resolve()
    })
}

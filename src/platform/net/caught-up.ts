import type { ResponseStream } from './response-stream.ts'

/** @returns a function whose promise resolves when the reader has caught up, or is gone. */
export function caughtUpWith(response: ResponseStream): () => Promise<void> {
  let wake = () => {}
  response.onDrain(() => wake())
  response.signal.addEventListener('abort', () => wake(), { once: true })
  return () =>
    new Promise((resolve) => {
      wake = resolve
      if (response.signal.aborted) resolve()
    })
}

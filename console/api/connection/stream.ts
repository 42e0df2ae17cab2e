import { retryDelayMs, runWhenVisible } from './retry.ts'

/**
 * Keeps an event stream open. The browser reconnects a broken stream; this function retries a rejected one.
 * @param onOpen is called with each opened stream.
 * @returns a function that closes the stream.
 */
export function keepOpen(address: string, onOpen: (stream: EventSource) => void): () => void {
  let failures = 0
  let close = () => {}
  const connect = () => {
    const stream = new EventSource(address)
    close = () => stream.close()
    stream.addEventListener('open', () => {
      failures = 0
    })
    stream.addEventListener('error', () => {
      if (stream.readyState !== EventSource.CLOSED) return
      failures += 1
      close = runWhenVisible(retryDelayMs(failures, Math.random()), connect)
    })
    onOpen(stream)
  }
  connect()
  return () => close()
}

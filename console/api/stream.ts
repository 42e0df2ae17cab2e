import { retryDelayMs, runWhenVisible } from './retry.ts'

/**
 * Keeps a stream of events open. Where it breaks the browser opens it again; where it was refused, that is done here.
 * @param onOpen is given each stream that is opened.
 * @returns what ends it.
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

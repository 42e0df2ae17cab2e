import { later, pauseMs } from './retry.ts'

/**
 * Keeps a stream of events open. Where it breaks the browser opens it again; where it was refused, that is done here.
 * @param hear is given each stream that is opened.
 * @returns what ends it.
 */
export function keepOpen(address: string, hear: (stream: EventSource) => void): () => void {
  let refused = 0
  let end = () => {}
  const begin = () => {
    const stream = new EventSource(address)
    end = () => stream.close()
    stream.addEventListener('open', () => {
      refused = 0
    })
    stream.addEventListener('error', () => {
      if (stream.readyState !== EventSource.CLOSED) return
      refused += 1
      end = later(pauseMs(refused, Math.random()), begin)
    })
    hear(stream)
  }
  begin()
  return () => end()
}

import type { Server } from 'node:net'
import { setImmediate } from 'node:timers/promises'

/** With connections that never stop arriving, the socket is closed after this time. */
const maxMs = 10_000

/**
 * Accepts the connections that wait in the queue of a listening socket. Closing the socket resets them; a proxy that has sent
 * a request on one of them then answers 502, because it cannot know whether the request was processed.
 */
export async function emptyAcceptQueue(server: Server): Promise<void> {
  let accepted = 0
  const count = () => {
    accepted++
  }
  server.on('connection', count)
  const deadline = performance.now() + maxMs
  // Node accepts one connection in a turn of the event loop. The first turn may have looked for connections already.
  for (let emptyTurns = 0; emptyTurns < 2 && performance.now() < deadline; ) {
    const acceptedBefore = accepted
    await setImmediate()
    emptyTurns = accepted === acceptedBefore ? emptyTurns + 1 : 0
  }
  server.off('connection', count)
}

/** A listening socket of Node, whose queue can be made shorter while it listens. */
type ListeningServer = Server & { _handle?: { listen?: (backlog: number) => number } | null }

/**
 * Lets the kernel queue no further connections while one waits. Clients then repeat their connection attempt, which is
 * refused after the socket is closed, so that a proxy sends the request to another server. Only for a socket that no other
 * process shares.
 */
export function shortenAcceptQueue(server: Server): void {
  ;(server as ListeningServer)._handle?.listen?.(1)
}

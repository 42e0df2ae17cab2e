import type { Socket } from 'node:net'

/** Silent for so long, the other side is asked by TCP whether it is there: three times, every two seconds. */
const asked = { afterMs: 4000, everyMs: 2000, times: 3 }

/**
 * A host without power says nothing, and a connection on which nothing is to be sent would stay for ever: it breaks ten seconds
 * after the last sign of the other side. Node before 24 asks once a second, ten times.
 */
export function enableKeepAlive(socket: Socket): void {
  socket.setKeepAlive(true, asked.afterMs, asked.everyMs, asked.times)
}

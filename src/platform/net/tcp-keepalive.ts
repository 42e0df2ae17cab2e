import type { Socket } from 'node:net'

/** TCP sends a probe after this time without data, and up to three at this interval. */
const probes = { afterMs: 4000, everyMs: 2000, times: 3 }

/**
 * Detects a crashed host: without it, an idle connection would stay open forever. The connection breaks ten seconds after the last
 * packet of the other side. Node before 24 probes once a second, ten times.
 */
export function enableKeepAlive(socket: Socket): void {
  socket.setKeepAlive(true, probes.afterMs, probes.everyMs, probes.times)
}

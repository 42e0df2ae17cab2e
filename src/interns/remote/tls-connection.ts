import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { enableKeepAlive } from '#platform/net/tcp-keepalive.ts'

/**
 * The TLS options for a daemon on another host, which must have a certificate for `servername`. `sessions` has the TLS sessions of
 * earlier connections by server name, which halve the time of a handshake.
 */
export type DaemonTls = { context: SecureContext; servername: string; sessions: Map<string, Buffer> }

export type TlsAddress = { host: string; port: number; token: string; tls: DaemonTls }

const connectTimeoutMs = 5000
const securedSockets = new WeakSet<Socket>()

/** Whether the handshake is complete. From then on, a request can have started a turn. */
export const isSecured = (socket: Socket): boolean => securedSockets.has(socket)

/** Connects to a daemon on another host. Writes are buffered until the handshake is complete. */
export function connectTls({ host, port, tls: { context, servername, sessions } }: TlsAddress): TLSSocket {
  const session = sessions.get(servername)
  const socket = process.getBuiltinModule('node:tls').connect({
    host,
    port,
    servername,
    secureContext: context,
    minVersion: 'TLSv1.3',
    session,
  })
  socket.setNoDelay()
  socket.on('session', (session: Buffer) => sessions.set(servername, session))
  // A host that crashed does not answer at all.
  const abort = () => socket.destroy(new Error(`no response from ${host} within ${connectTimeoutMs} ms`))
  const timer = setTimeout(abort, connectTimeoutMs)
  const clearTimer = () => clearTimeout(timer)
  socket.once('secureConnect', () => {
    securedSockets.add(socket)
    enableKeepAlive(socket)
  })
  socket.once('secureConnect', clearTimer).once('close', clearTimer)
  return socket
}

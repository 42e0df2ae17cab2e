import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { enableKeepAlive } from '#platform/net/tcp-keepalive.ts'

/**
 * How a server shows a daemon on another host who it is, and knows that it is the right one: by a certificate for
 * `servername`. `sessions` are those of earlier connections, by this name: with one the next is made in half the time.
 */
export type DaemonTls = { context: SecureContext; servername: string; sessions: Map<string, Buffer> }

export type TlsAddress = { host: string; port: number; token: string; tls: DaemonTls }

const connectMs = 5000
const secured = new WeakSet<Socket>()

/** Whether both sides know each other: from then on something may have begun. */
export const isSecured = (socket: Socket): boolean => secured.has(socket)

/** A connection to a daemon on another host, which is being made: what is written waits until it is. */
export function connectTls({ host, port, tls: { context, servername, sessions } }: TlsAddress): TLSSocket {
  const session = sessions.get(servername)
  const socket = process.getBuiltinModule('node:tls').connect({
    ...{ host, port, servername, secureContext: context, minVersion: 'TLSv1.3' },
    ...(session && { session }),
  })
  socket.setNoDelay()
  socket.on('session', (later: Buffer) => sessions.set(servername, later))
  // A host that is gone without a word answers nothing.
  const silent = () => socket.destroy(new Error(`no answer from ${host} within ${connectMs} ms`))
  const late = setTimeout(silent, connectMs)
  const settled = () => clearTimeout(late)
  socket.once('secureConnect', () => {
    secured.add(socket)
    enableKeepAlive(socket)
  })
  socket.once('secureConnect', settled).once('close', settled)
  return socket
}

import type { Duplex } from 'node:stream'
import type { Server, TLSSocket } from 'node:tls'
import { Refusal } from '#interns/contract/refusal.ts'
import { type DaemonCertificates, parseServerName } from '#interns/remote/daemon-certificates.ts'
import { repeat } from '#platform/async/reconcile.ts'
import { retry } from '#platform/async/retry.ts'
import { limitHandshakes } from '#platform/net/handshake-limit.ts'
import { enableKeepAlive } from '#platform/net/tcp-keepalive.ts'
import { findFreePort, renewCertificatesEveryMs } from './tcp-listener.ts'

/**
 * A listening port of this host, for servers of other hosts. They read the logs of its interns, and the stored files of those that
 * do not run.
 */
export type StorageListener = { port: number; close: () => Promise<void> }

type StorageListenerDeps = {
  listen: string
  ports: string
  certificates: Pick<DaemonCertificates, 'forStorage'>
  warn: (message: string) => void
}

/** Opens a connection to a resource of an intern. @throws Refusal. */
type Connect = (id: string, resource: 'files' | 'log') => Promise<Duplex>

/** The time limit of a TLS handshake. */
const handshakeMs = 10_000
/** The most connections without a completed handshake, whose clients are not authenticated yet. */
const maxHandshakes = 64
/** The number of further ports to try. */
const maxRetries = 10

/**
 * Accepts TLS 1.3 connections of clients with the certificate of a server. The server name that a client requests contains
 * the id of an intern, and the resource to read. The listener forwards the bytes of both sides unchanged.
 * @param connect opens the connection to the resource.
 */
export async function startStorageListener(deps: StorageListenerDeps, connect: Connect): Promise<StorageListener> {
  const { certificates, warn } = deps
  const secureContext = async () => {
    const { certificate: cert, key, caCertificates } = await certificates.forStorage()
    return { cert, key, ca: caCertificates, minVersion: 'TLSv1.3' as const }
  }
  const clientCheck = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMs }
  // Not imported: most servers do not need this module at their start.
  const server = process.getBuiltinModule('node:tls').createServer({ ...(await secureContext()), ...clientCheck })
  limitHandshakes(server, maxHandshakes)
  server.on('connection', enableKeepAlive)
  const sockets = new Set<TLSSocket>()
  server.on('secureConnection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => {})
    void forward(socket, connect)
  })
  const renew = async () => server.setSecureContext(await secureContext())
  const stopRenewing = repeat(renew, {
    firstMs: renewCertificatesEveryMs,
    everyMs: renewCertificatesEveryMs,
    onError: ({ message }) => warn(`The certificate for other hosts could not be renewed: ${message}`),
  })
  const port = await listen(deps, server)
  const close = async () => {
    stopRenewing()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port, close }
}

/** Tries several ports, because another process can take one that was free. */
function listen({ listen: host, ports }: StorageListenerDeps, server: Server): Promise<number> {
  const attempt = async () => {
    const port = await findFreePort({ listen: host, ports })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        resolve()
      })
    })
    return port
  }
  return retry(attempt, (failures) => (failures > maxRetries ? undefined : 0))
}

async function forward(socket: TLSSocket, connect: Connect): Promise<void> {
  let storage: Duplex
  try {
    // No intern has an empty id, so `connect` refuses a name that cannot be read.
    const { id, resource } = parseServerName(String(socket.servername)) ?? { id: '', resource: 'files' as const }
    storage = await connect(id, resource)
  } catch (error) {
    return refuse(socket, error)
  }
  if (socket.destroyed) return void storage.destroy()
  socket.once('close', () => storage.destroy())
  // After the end of an answer, the socket has ended too, but can still have bytes to send. Without it, the connection is broken.
  storage.once('close', () => socket.writableEnded || socket.destroy()).on('error', () => socket.destroy())
  socket.pipe(storage).pipe(socket)
}

/** Sends an error response in the form of a daemon. */
function refuse(socket: TLSSocket, error: unknown): void {
  const refusal =
    error instanceof Refusal ? error : new Refusal('intern_unreachable', `It cannot be reached: ${String(error)}`)
  const { kind, message, retryable, code } = refusal
  const body = JSON.stringify({ error: { kind, message, retryable } })
  const head = [
    `HTTP/1.1 ${code} Refused`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Reads and ignores the request: a socket with unread bytes does not close.
  socket.resume()
}

import type { Duplex } from 'node:stream'
import type { Server, TLSSocket } from 'node:tls'
import { Refusal } from '#interns/contract/refusal.ts'
import { type DaemonCertificates, parseServerName } from '#interns/remote/daemon-certificates.ts'
import { repeat } from '#platform/async/reconcile.ts'
import { retry } from '#platform/async/retry.ts'
import { boundHandshakes } from '#platform/net/handshake-limit.ts'
import { enableKeepAlive } from '#platform/net/tcp-keepalive.ts'
import { freePort, renewCertificatesEveryMs } from './tcp-listener.ts'

/** The port at which servers of other hosts read the stored files of this host's interns that do not run, and the logs of all. */
export type StorageListener = { port: number; close: () => Promise<void> }

type StorageListenerDeps = {
  listen: string
  ports: string
  certificates: Pick<DaemonCertificates, 'forStorage'>
  warn: (message: string) => void
}

/** @throws Refusal. */
type Connect = (id: string, resource: 'files' | 'log') => Promise<Duplex>

const handshakeMs = 10_000
const maxHandshakes = 64
const maxAttempts = 10

/**
 * Serves over TLS 1.3, to clients with the certificate of a server. The requested server name contains the intern. The bytes are forwarded
 * unchanged. @param connect returns the connection for one request. It can throw a Refusal.
 */
export async function startStorageListener(deps: StorageListenerDeps, connect: Connect): Promise<StorageListener> {
  const { certificates, warn } = deps
  const secureContext = async () => {
    const { certificate: cert, key, authorities: ca } = await certificates.forStorage()
    return { cert, key, ca, minVersion: 'TLSv1.3' as const }
  }
  const clientCheck = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMs }
  const server = process.getBuiltinModule('node:tls').createServer({ ...(await secureContext()), ...clientCheck })
  boundHandshakes(server, maxHandshakes)
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
    const port = await freePort({ listen: host, ports })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        resolve()
      })
    })
    return port
  }
  return retry(attempt, (failures) => (failures > maxAttempts ? undefined : 0))
}

async function forward(socket: TLSSocket, connect: Connect): Promise<void> {
  let storage: Duplex
  try {
    // An unknown name is refused.
    const { id, resource } = parseServerName(String(socket.servername)) ?? { id: '', resource: 'files' as const }
    storage = await connect(id, resource)
  } catch (error) {
    return refuse(socket, error)
  }
  if (socket.destroyed) return void storage.destroy()
  socket.once('close', () => storage.destroy())
  // When `storage` closes, forwarded bytes can still be in flight.
  storage.once('close', () => socket.writableEnded || socket.destroy()).on('error', () => socket.destroy())
  socket.pipe(storage).pipe(socket)
}

/** Answers as a daemon does. */
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
  socket.resume()
}

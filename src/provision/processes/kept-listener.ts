import type { Duplex } from 'node:stream'
import type { Server, TLSSocket } from 'node:tls'
import { Refusal } from '#interns/contract/refusal.ts'
import { type DaemonCertificates, wantedByName } from '#interns/remote/daemon-certificates.ts'
import { boundHandshakes } from '#platform/net/bound-handshakes.ts'
import { enableKeepAlive } from '#platform/net/tcp-keepalive.ts'
import { freePort, renewCertificatesEveryMs } from './tcp-listener.ts'

/** Where servers of other hosts get at what is kept of interns of this one that do not run, and at the logs of all. */
export type KeptListener = { port: number; close: () => Promise<void> }

type KeptListenerDeps = {
  listen: string
  ports: string
  certificates: Pick<DaemonCertificates, 'forKept'>
  warn: (message: string) => void
}

/** @throws Refusal. */
type Connect = (id: string, what: 'kept' | 'log') => Promise<Duplex>

const handshakeMs = 10_000
const mostHandshakes = 64
const tries = 10

/**
 * Over TLS 1.3, for who shows the certificate of a server; whose files are wanted says the name that it asks for. What comes and
 * goes is passed on as it is. @param connect gives the connection for one request. May throw a Refusal.
 */
export async function startKeptListener(deps: KeptListenerDeps, connect: Connect): Promise<KeptListener> {
  const { certificates, warn } = deps
  const shown = async () => {
    const { certificate: cert, key, authorities: ca } = await certificates.forKept()
    return { cert, key, ca, minVersion: 'TLSv1.3' as const }
  }
  const asked = { requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMs }
  const server = process.getBuiltinModule('node:tls').createServer({ ...(await shown()), ...asked })
  boundHandshakes(server, mostHandshakes)
  server.on('connection', enableKeepAlive)
  const open = new Set<TLSSocket>()
  server.on('secureConnection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket)).on('error', () => {})
    void passOn(socket, connect)
  })
  const renewing = setInterval(() => {
    const told = (error: Error) => warn(`The certificate for other hosts could not be renewed: ${error.message}`)
    void shown().then((next) => server.setSecureContext(next), told)
  }, renewCertificatesEveryMs).unref()
  const port = await listen(deps, server)
  const close = async () => {
    clearInterval(renewing)
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port, close }
}

/** Another may take a port that was free a moment ago. */
async function listen({ listen: host, ports }: KeptListenerDeps, server: Server): Promise<number> {
  for (let left = tries; ; left--) {
    const port = await freePort({ listen: host, ports })
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve()
        })
      })
      return port
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

async function passOn(socket: TLSSocket, connect: Connect): Promise<void> {
  let kept: Duplex
  try {
    // A server that knows no name of ours gets no answer to it.
    const { id, what } = wantedByName(String(socket.servername)) ?? { id: '', what: 'kept' as const }
    kept = await connect(id, what)
  } catch (error) {
    return refuse(socket, error)
  }
  if (socket.destroyed) return void kept.destroy()
  socket.once('close', () => kept.destroy())
  // What was passed on is still on its way when all has come.
  kept.once('close', () => socket.writableEnded || socket.destroy()).on('error', () => socket.destroy())
  socket.pipe(kept).pipe(socket)
}

/** In the words of a daemon. */
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

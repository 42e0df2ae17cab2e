import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { boundHandshakes } from '#platform/net/bound-handshakes.ts'
import { https } from '#platform/net/node-http.ts'
import { enableKeepAlive } from '#platform/net/tcp-keepalive.ts'
import type { DaemonLog } from '../log.ts'
import type { TcpListener } from '../settings/settings.ts'
import { createHttpServer } from './http-server.ts'

/** A stranger who does not shake hands holds a connection no longer than this. */
const handshakeMs = 10_000
const mostHandshakes = 64

/**
 * The same contract for servers on other hosts, over TLS 1.3: both sides show a certificate of the service's authority.
 * The files are looked at again every `lookMs`; connections that are open go on through a change.
 */
export function createTlsServer(
  files: TcpListener['tls'],
  deps: Parameters<typeof createHttpServer>[0],
  lookMs: number,
): Server {
  let shown = read(files)
  const server = https().createServer({
    ...shown,
    minVersion: 'TLSv1.3',
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: handshakeMs,
  })
  boundHandshakes(server, mostHandshakes)
  server.on('connection', enableKeepAlive)
  server.on('tlsClientError', refusalsTo(deps.log))
  const look = () => {
    try {
      const found = read(files)
      if (JSON.stringify(found) === JSON.stringify(shown)) return
      server.setSecureContext({ ...found, minVersion: 'TLSv1.3' })
      shown = found
      deps.log('certificates.renewed', {})
    } catch (error) {
      // Half written, perhaps: what it has is good until then.
      deps.log('certificates.not_renewed', { why: (error as Error).message })
    }
  }
  const looking = setInterval(look, lookMs).unref()
  server.once('close', () => clearInterval(looking))
  return createHttpServer(deps, (listener) => server.on('request', listener))
}

/** Whoever reaches the port makes no more than a line in ten seconds: the log is for what else happens. */
function refusalsTo(log: DaemonLog): (error: NodeJS.ErrnoException) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  let unsaid = 0
  return ({ code, message }) => {
    if (performance.now() - saidAt < 10_000) return void unsaid++
    log('listener.refused', { why: code ?? message, ...(unsaid > 0 && { before: unsaid }) })
    saidAt = performance.now()
    unsaid = 0
  }
}

function read({ certificate, key, authorities }: TcpListener['tls']) {
  return {
    cert: readFileSync(certificate, 'utf8'),
    key: readFileSync(key, 'utf8'),
    ca: readFileSync(authorities, 'utf8'),
  }
}

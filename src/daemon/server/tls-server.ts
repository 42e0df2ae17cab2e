import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { limitHandshakes } from '#platform/net/handshake-limit.ts'
import { https } from '#platform/net/node-http.ts'
import { enableKeepAlive } from '#platform/net/tcp-keepalive.ts'
import type { DaemonLog } from '../log.ts'
import type { TcpListener } from '../settings/settings.ts'
import { createHttpServer } from './http-server.ts'

/** The time limit of a TLS handshake. */
const handshakeMs = 10_000
/** The most connections without a completed handshake, whose clients are not authenticated yet. */
const maxHandshakes = 64

/**
 * Serves the contract for servers on other hosts, over TLS 1.3 with certificates of the service's CA on both sides.
 * Reloads the files every `reloadMs` if they changed. Open connections continue.
 */
export function createTlsServer(
  files: TcpListener['tls'],
  deps: Parameters<typeof createHttpServer>[0],
  reloadMs: number,
): Server {
  let current = readCertificates(files)
  const server = https().createServer({
    ...current,
    minVersion: 'TLSv1.3',
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: handshakeMs,
  })
  limitHandshakes(server, maxHandshakes)
  server.on('connection', enableKeepAlive)
  server.on('tlsClientError', logRefusals(deps.log))
  const reload = () => {
    try {
      const renewed = readCertificates(files)
      if (JSON.stringify(renewed) === JSON.stringify(current)) return
      server.setSecureContext({ ...renewed, minVersion: 'TLSv1.3' })
      current = renewed
      deps.log('certificates.renewed', {})
    } catch (error) {
      // The files can be incomplete. The current certificates are still valid.
      deps.log('certificates.not_renewed', { why: (error as Error).message })
    }
  }
  const timer = setInterval(reload, reloadMs).unref()
  server.once('close', () => clearInterval(timer))
  return createHttpServer(deps, (listener) => server.on('request', listener))
}

/** Anyone who reaches the port can cause refusals. Their number must not fill the log. */
const logEveryMs = 10_000

/** Logs refused connections, at most one line in `logEveryMs`. */
function logRefusals(log: DaemonLog): (error: NodeJS.ErrnoException) => void {
  let lastLoggedAt = Number.NEGATIVE_INFINITY
  let suppressed = 0
  return ({ code, message }) => {
    if (performance.now() - lastLoggedAt < logEveryMs) return void suppressed++
    log('listener.refused', { why: code ?? message, ...(suppressed > 0 && { before: suppressed }) })
    lastLoggedAt = performance.now()
    suppressed = 0
  }
}

function readCertificates({ certificate, key, authorities }: TcpListener['tls']) {
  return {
    cert: readFileSync(certificate, 'utf8'),
    key: readFileSync(key, 'utf8'),
    ca: readFileSync(authorities, 'utf8'),
  }
}

import type { ServerResponse } from 'node:http'
import { Fault } from '#platform/core/fault.ts'
import { findFramingError } from '#platform/http/request/framing.ts'
import { findHostError } from '#platform/http/request/host.ts'
import { toErrorResponse } from '#platform/http/response/envelope.ts'
import { toHostName } from '#platform/net/addresses/host-name.ts'
import { serializeRequests } from '#platform/net/bodies/pipelined-requests.ts'
import { createServer } from '#platform/net/node-http.ts'
import { type Address, listenError, serverOrigin } from '../access/address.ts'
import type { Metrics } from './metrics.ts'

/**
 * Serves metrics without a key on a dedicated port, which the operator must protect. Only requests for a name of this
 * host are answered: otherwise a web page could read the metrics by DNS rebinding.
 */
export async function startMetricsServer(metrics: Pick<Metrics, 'read'>, address: Address, names: readonly string[]) {
  const server = createServer(
    serializeRequests(async (request, response) => {
      const framing = findFramingError(request)
      if (framing !== undefined) {
        response.setHeader('connection', 'close')
        return sendFault(response, new Fault('invalid', framing))
      }
      if (findHostError(request) !== undefined || !isAllowedHost(request.headers.host, names)) {
        const reason = 'Metrics are available only under a loopback name or a name in METRICS_HOSTS.'
        return sendFault(response, new Fault('forbidden', reason))
      }
      if (request.url !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? '')) {
        return sendFault(response, new Fault('not_found', 'Only GET /metrics is available on this port.'))
      }
      const { contentType, text } = await metrics.read()
      response.writeHead(200, { 'content-type': contentType }).end(text)
    }),
  )
  const listening = Promise.withResolvers<void>()
  server.once('error', (error) => listening.reject(listenError(error, address, 'METRICS_PORT')))
  server.listen(address.port, address.host, listening.resolve)
  await listening.promise
  return {
    url: `${serverOrigin(server, address)}/metrics`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function sendFault(response: ServerResponse, fault: Fault): void {
  const { status, body } = toErrorResponse(fault)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const loopback = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

function isAllowedHost(host: string | undefined, names: readonly string[]): boolean {
  const name = toHostName(host ?? '')
  return loopback.test(name) || names.includes(name)
}

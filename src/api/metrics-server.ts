import { createServer } from 'node:http'
import { errorAnswer } from '#http/envelope.ts'
import { Fault } from '#lib/fault.ts'
import { type Address, addressRefused, originOf } from './address.ts'
import type { Metrics } from './metrics.ts'

/** Serves metrics without a key on a port of their own, which the operator keeps to those who may see them. */
export async function startMetricsServer(metrics: Pick<Metrics, 'read'>, at: Address) {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? '')) {
      const { status, body } = errorAnswer(new Fault('not_found', 'There is only GET /metrics here.'))
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      return
    }
    const { contentType, text } = await metrics.read()
    response.writeHead(200, { 'content-type': contentType }).end(text)
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', (error) => listening.reject(addressRefused(error, at, 'METRICS_PORT')))
  server.listen(at.port, at.host, listening.resolve)
  await listening.promise
  return {
    url: `${originOf(server, at)}/metrics`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { generation } from '#test/harness/records/generations.ts'
import { openTraces } from './traces.ts'

/** Receives spans as a collector does. */
async function startCollector() {
  const spans: any[] = []
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as any
    spans.push(...resourceSpans.flatMap((resource: any) => resource.scopeSpans[0].spans))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { spans, url, [Symbol.dispose]: () => void server.close() }
}

for (const [protocol, operation] of [
  ['anthropic-messages', 'chat'],
  ['embeddings', 'embeddings'],
] as const)
  test(`the spans of a request in the format ${protocol} have the operation ${operation}`, async () => {
    using collector = await startCollector()
    // The exporter reads the environment itself.
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url
    const traces = await openTraces({
      variable: (name) => process.env[name],
      now: Date.now,
      instance: 'instance',
      proxies: {},
    })
    traces.record(generation({ protocol }))
    await traces.close()
    assert.equal(collector.spans.length, 2)
    for (const { name, attributes } of collector.spans) {
      const attribute = attributes.find(({ key }: any) => key === 'gen_ai.operation.name')
      assert.deepEqual([name, attribute.value.stringValue], [`${operation} a/b`, operation])
    }
  })

test('the proxy is chosen for the endpoint of traces, which takes precedence', async () => {
  using collector = await startCollector()
  const variables: Record<string, string> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
  }
  // The exporter reads the environment itself.
  Object.assign(process.env, variables)
  const proxies = { http_proxy: 'http://127.0.0.1:9/', no_proxy: ['127.0.0.1'] }
  const traces = await openTraces({ variable: (name) => variables[name], now: Date.now, instance: 'instance', proxies })
  traces.record(generation({}))
  await traces.close()
  for (const name of Object.keys(variables)) delete process.env[name]
  assert.equal(collector.spans.length, 2)
})

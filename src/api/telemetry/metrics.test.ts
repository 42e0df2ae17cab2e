import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'
import { createMetrics } from './metrics.ts'

test('metrics count requests by route and status, without parts of the path', async () => {
  await using service = await startTestService()
  await service.ask('GET', '/health')
  await service.manage('GET', '/presets/no-such-preset')
  await service.ask('GET', '/nowhere/sb-v1-secret')
  const { status, headers, text } = await service.ask('GET', '/metrics', { key: service.managementKey })
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/plain; version=/)
  assert.match(text, /duration_seconds_count\{method="GET",route="\/api\/v1\/health",status="200"\} 1/)
  assert.match(text, /duration_seconds_count\{method="GET",route="\/api\/v1\/presets\/:slug",status="404"\} 1/)
  assert.match(text, /duration_seconds_count\{method="GET",route="none",status="404"\} 1/)
  assert.doesNotMatch(text, /no-such-preset|sb-v1/)
})

test('a client that leaves before its response is counted too, as one that left', async () => {
  await using service = await startTestService()
  const body = JSON.stringify({ model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:slow=60000' }] })
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const disconnect = new AbortController()
  const response = fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers,
    body,
    signal: disconnect.signal,
  })
  const hasMetric = (pattern: RegExp) =>
    until(async () => pattern.test((await service.ask('GET', '/metrics', { key: service.managementKey })).text))
  await hasMetric(/^signalbox_answers_in_flight 1$/m)
  disconnect.abort()
  await assert.rejects(response, { name: 'AbortError' })
  await hasMetric(/duration_seconds_count\{method="POST",route="\/api\/v1\/chat\/completions",status="499"\} 1/)
})

test('delayed counters are updated before they are read', async () => {
  const metrics = createMetrics()
  metrics.beforeRead(metrics.observeUnmetered)
  assert.match((await metrics.read()).text, /^signalbox_completion_unmetered_total 1$/m)
  const result = (await metrics.values()).find(({ name }) => name === 'signalbox_completion_unmetered_total')
  assert.equal(result?.values[0]?.value, 2)
})

test('metrics include the event loop, the database and the catalogue', async () => {
  await using service = await startTestService()
  const { text } = await service.ask('GET', '/metrics', { key: service.managementKey })
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m)
  assert.match(text, /^signalbox_db_query_duration_seconds_count\{outcome="ok"\} [1-9]/m)
  assert.match(text, /^signalbox_catalogue_size\{of="models"\} [1-9]/m)
})

test('metrics need a management key, except on their own port', async () => {
  await using service = await startTestService({ settings: { metrics_port: 0 } })
  assert.equal((await service.ask('GET', '/metrics', { key: null })).status, 401)
  assert.equal((await service.ask('GET', '/metrics')).status, 403)
  const open = await fetch(service.metricsUrl!)
  assert.equal(open.status, 200)
  assert.match(await open.text(), /signalbox_catalogue_size/)
  assert.equal((await fetch(service.metricsUrl!.replace('/metrics', '/'))).status, 404)
})

test('the metrics port accepts known host names only, against DNS rebinding', async () => {
  await using service = await startTestService({ settings: { metrics_port: 0, metrics_hosts: ['metrics.test'] } })
  const { hostname, port } = new URL(service.metricsUrl!)
  const statusBy = async (host: string) => {
    const clientRequest = request({ hostname, port, path: '/metrics', headers: { host } }).end()
    const [response] = await once(clientRequest, 'response')
    response.resume()
    return response.statusCode
  }
  for (const host of ['localhost', `127.0.0.1:${port}`, '127.9.9.9', '[::1]:9', 'a.localhost', 'Metrics.Test:80'])
    assert.equal(await statusBy(host), 200, host)
  for (const host of ['rebind.example', '127.0.0.1.example', 'localhost.example', '10.0.0.5', 'x-metrics.test'])
    assert.equal(await statusBy(host), 403, host)
})

test('the metrics port refuses a request with an ambiguous end, and disconnects', async () => {
  await using service = await startTestService({ settings: { metrics_port: 0 } })
  const { hostname, port } = new URL(service.metricsUrl!)
  const socket = connect(Number(port), hostname)
  const body = '0\r\n\r\nGET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n'
  socket.write(`POST /metrics HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip, chunked\r\n\r\n${body}`)
  assert.deepEqual((await text(socket)).match(/^HTTP\/1\.1 \d+/gm), ['HTTP/1.1 400'])
})

test('counters with known labels exist from the start with the value 0', async () => {
  await using service = await startTestService()
  const { text } = await service.manage('GET', '/metrics')
  for (const line of [
    'signalbox_completion_unmetered_total 0',
    'signalbox_db_broken_connections_total 0',
    'signalbox_db_query_failures_total{cause="read_only"} 0',
    'signalbox_db_query_duration_seconds_count{outcome="failed"} 0',
    'signalbox_refusals_total{rule="ignored_models"} 0',
    'signalbox_refusals_total{rule="limit"} 0',
    'signalbox_http_request_duration_seconds_count{method="GET",route="/api/v1/activity",status="200"} 0',
    'signalbox_completion_duration_seconds_count{provider="none",outcome="failed"} 0',
    'signalbox_circuit_openings_total{reason="failure_rate"} 0',
  ])
    assert.ok(text.includes(`${line}\n`), line)
})

test('metrics include requests in flight, pending writes, pool, interns and build', async () => {
  await using service = await startTestService()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:slow=600000' }] }
  const shutdown = new AbortController()
  const pending = fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: shutdown.signal,
  }).catch(() => {})
  const standing = async () => (await service.manage('GET', '/metrics')).text
  const text = await until(async () => {
    const message = await standing()
    // On a busy machine, a statement can wait for the database at any time.
    const [answering, waiting] = ['signalbox_answers_in_flight 1\n', 'signalbox_db_waiting 0\n']
    return message.includes(answering) && message.includes(waiting) && message
  })
  // The request for the metrics is in flight, too.
  assert.match(text, /^signalbox_http_requests_in_flight 2$/m)
  assert.match(text, /^signalbox_build_info\{version="\d+\.\d+\.\d+",node="[^"]+",database="sqlite"\} 1$/m)
  for (const line of [
    'signalbox_ledger_waiting{where="memory"} 0',
    'signalbox_ledger_oldest_seconds{where="files"} 0',
    'signalbox_ledger_delay_seconds 0',
    'signalbox_ledger_full 0',
    'signalbox_db_silent_seconds 0',
    'signalbox_db_read_only 0',
    'signalbox_interns{state="failed"} 0',
    'signalbox_leaving 0',
  ])
    assert.ok(text.includes(`${line}\n`), line)
  assert.match(text, /^signalbox_db_connections\{state="used"\} [01]$/m)
  shutdown.abort()
  await pending
  await until(async () => (await standing()).includes('signalbox_answers_in_flight 0\n'))
  await service.ask('POST', '/interns', { body: { name: 'ada' } })
  await until(async () => (await standing()).includes('signalbox_interns{state="stopped"} 1\n'))
})

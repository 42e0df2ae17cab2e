import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { hashOf } from '#identity/accounts/keys/secret.ts'
import { readTraceParent } from '#platform/net/trace-parent.ts'
import { newTestStore } from '#test/harness/database/databases.ts'
import { startFaultyService } from '#test/harness/service/faulty-service.ts'
import { startProcess } from '#test/harness/service/server-process.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'
import { validResponses } from '#test/harness/upstream/faulty/faults.ts'
import { startFaultyUpstream } from '#test/harness/upstream/faulty/faulty-upstream.ts'

const apiKey = `sb-v1-${'c'.repeat(64)}`
const managementKey = `sb-v1-${'d'.repeat(64)}`
const traceId = '0af7651916cd43dd8448eb211c80319c'

/**
 * One completion by a separate server.
 * @returns the server's standard error.
 */
async function serveOne(env: Record<string, string>, content: string, model = 'signalbox/demo'): Promise<string> {
  const testStore = await newTestStore('sqlite')
  await using server = startProcess({
    DATA_DIR: testStore.settings.data_dir,
    BOOTSTRAP_API_KEY: apiKey,
    LOG_FORMAT: 'json',
    ...env,
  })
  await fetch(`${await server.url}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      'x-request-id': 'my-request',
    },
    body: JSON.stringify({ model, session_id: 's1', messages: [{ role: 'user', content }] }),
  }).then((response) => response.text())
  server.signal('SIGTERM')
  await server.ended
  await testStore.remove()
  return server.err()
}

/** Receives traces as a collector does. */
async function startCollector() {
  const received: any[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    received.push({ url: request.url, ...JSON.parse(Buffer.concat(parts).toString()) })
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: (): any[] => received.flatMap(({ resourceSpans }) => resourceSpans[0].scopeSpans[0].spans),
    [Symbol.dispose]: () => void server.close(),
  }
}

const attributesOf = (span: any) =>
  Object.fromEntries(span.attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]))

test('a completion is a trace with the attributes of generative AI', async () => {
  using collector = await startCollector()
  await serveOne({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'my-router' }, 'Hi')
  const { received } = collector
  assert.equal(received[0]?.url, '/v1/traces')
  assert.match(
    JSON.stringify(received[0].resourceSpans[0].resource),
    /"service.instance.id","value":\{"stringValue":"[\w-]{36}"/,
  )
  assert.match(
    JSON.stringify(received[0].resourceSpans[0].resource),
    /"service.name","value":\{"stringValue":"my-router"/,
  )
  const root = collector.spans().find((span) => span.parentSpanId === 'b7ad6b7169203331')
  assert.deepEqual([root.name, root.traceId], ['chat signalbox/demo', traceId])
  const result = attributesOf(root)
  assert.deepEqual(
    [
      result['gen_ai.operation.name'],
      result['gen_ai.request.model'],
      result['gen_ai.conversation.id'],
      result['gen_ai.usage.input_tokens'],
    ],
    ['chat', 'signalbox/demo', 's1', 1],
  )
  assert.equal(collector.spans().find((span) => span.parentSpanId === root.spanId)?.traceId, traceId)
})

/**
 * One completion that a provider over HTTP answers.
 * @returns the `traceparent` that the provider received.
 */
async function askProvider(variables: Record<string, string>, traceparent?: string): Promise<string | undefined> {
  await using upstream = await startFaultyUpstream({ ok: validResponses.ok! })
  await using service = await startFaultyService(upstream, ['ok'], { variables })
  const body = { model: 'faulty/ok', messages: [{ role: 'user', content: 'Hi' }] }
  const { status } = await service.ask('POST', '/chat/completions', {
    body,
    ...(traceparent && { headers: { traceparent } }),
  })
  assert.equal(status, 200)
  return /^traceparent: (.*?)\r?$/im.exec(upstream.requests[0]!.head)?.[1]
}

test('a provider gets the span of the attempt as parent', async () => {
  const before = process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  using collector = await startCollector()
  // The exporter reads it itself.
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const sent = readTraceParent(await askProvider(variables, `00-${traceId}-b7ad6b7169203331-01`))
  const first = readTraceParent(await askProvider(variables))
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = before
  if (before === undefined) delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  assert.equal(sent?.traceId, traceId)
  for (const { traceId: trace, spanId } of [sent!, first!]) {
    const attempt = await until(() => collector.spans().find((span) => span.spanId === spanId))
    const root = await until(() => collector.spans().find((span) => span.spanId === attempt.parentSpanId))
    assert.deepEqual([attempt.traceId, root.traceId, root.name], [trace, trace, 'chat faulty/ok'])
  }
})

test('without tracing a provider gets the client’s span, if any', async () => {
  const traceparent = `00-${traceId}-b7ad6b7169203331-00`
  assert.equal(await askProvider({}, traceparent), traceparent)
  assert.equal(await askProvider({}, 'no traceparent at all'), undefined)
  assert.equal(await askProvider({}), undefined)
})

test('a management or intern request is a span, with one for each SQL statement', async () => {
  using collector = await startCollector()
  const testStore = await newTestStore('sqlite')
  await using server = startProcess({
    DATA_DIR: testStore.settings.data_dir,
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    BOOTSTRAP_API_KEY: apiKey,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  const url = await server.url
  const post = async (path: string, key: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  assert.equal(await post('/keys', managementKey, { name: 'a secret name' }), 201)
  const nobody = '01890000-0000-7000-8000-000000000000'
  const turn = { stream: true, messages: [{ role: 'user', content: 'a secret thing' }] }
  assert.equal(await post(`/interns/${nobody}/chat/completions`, apiKey, turn), 404)
  server.signal('SIGTERM')
  await server.ended
  await testStore.remove()
  const request = collector.spans().find(({ name }) => name === 'POST /keys')
  assert.equal(attributesOf(request)['http.response.status_code'], 201)
  const below = collector.spans().filter(({ parentSpanId }) => parentSpanId === request.spanId)
  assert.ok(
    below.some(({ name }) => name === 'insert api_keys' || name === 'insert keys'),
    below.map(({ name }) => name).join(),
  )
  assert.equal(attributesOf(request)['signalbox.db.statements'], below.length)
  const chat = collector.spans().find(({ name }) => name === 'POST /interns/{internId}/chat/completions')
  const { 'http.response.status_code': code, 'gen_ai.agent.id': agent } = attributesOf(chat)
  assert.deepEqual([code, agent], [404, nobody])
  assert.doesNotMatch(JSON.stringify(collector.received), /secret (name|thing)|sb-v1/)
})

test('a completion is one log line without its content', async () => {
  const lines = (await serveOne({}, 'a secret thing')).split('\n').filter((line) => line.includes('"completion"'))
  assert.equal(lines.length, 1)
  const { requestId, model, provider, outcome, costUsd } = JSON.parse(lines[0]!)
  assert.deepEqual(
    [requestId, model, provider, outcome, costUsd],
    ['my-request', 'signalbox/demo', 'signalbox', 'success', 0],
  )
  assert.doesNotMatch(lines[0]!, /secret thing|sb-v1/)
})

/** The lines of completions in a log. */
const completionsIn = (log: string) =>
  log
    .split('\n')
    .filter((line) => line.includes('"completion"'))
    .map((line) => JSON.parse(line))

test('the line of a completion names key, member and workspace', async () => {
  const [line] = completionsIn(await serveOne({}, 'Hi'))
  assert.equal(line.key, hashOf(apiKey))
  for (const id of [line.member, line.workspace]) assert.match(id, /^[\da-f-]{36}$/)
  assert.equal(line.error, undefined)
})

test('the log line of a failed one has the reason and the attempts, and no text', async () => {
  const log = await serveOne({}, 'demo:error=503 a secret thing')
  const [line] = completionsIn(log)
  assert.deepEqual([line.outcome, line.error], ['failed', { kind: 'bad_gateway' }])
  assert.deepEqual([line.attempts.length, line.attempts[0].reason], [1, 'status 503'])
  assert.doesNotMatch(log, /secret thing/)
})

test('a request refused before any endpoint has a log line with the reason', async () => {
  const [unknown] = completionsIn(await serveOne({}, 'a secret thing', 'no/such-model'))
  assert.deepEqual([unknown.outcome, unknown.model, unknown.key], ['refused', 'no/such-model', hashOf(apiKey)])
  assert.deepEqual([unknown.error.kind, unknown.error.message.slice(0, 6)], ['not_found', 'Model '])
})

test('refusals are counted by rule and guardrail, and named in the record', async () => {
  await using service = await startTestService()
  const [workspace] = (await service.manage('GET', '/workspaces')).body.data
  const id = workspace.default_guardrail_id
  const content_filters = [{ pattern: 'secret', action: 'block' }]
  await service.manage('PATCH', `/guardrails/${id}`, { content_filters })
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'a secret thing' }] }
  assert.equal((await service.ask('POST', '/chat/completions', { body })).status, 403)
  await service.manage('PATCH', `/guardrails/${id}`, { content_filters: null, ignored_providers: ['signalbox'] })
  assert.equal((await service.ask('POST', '/chat/completions', { body })).status, 403)
  const { text } = await service.manage('GET', '/metrics')
  for (const rule of ['content_filters', 'ignored_providers']) {
    assert.ok(text.includes(`signalbox_refusals_total{rule="${rule}"} 1\n`), rule)
    assert.ok(text.includes(`signalbox_guardrail_refusals_total{guardrail="${id}",rule="${rule}"} 1\n`), rule)
  }
})

test('the record of a request that failed says why', async () => {
  await using service = await startTestService()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:error=429' }] }
  const { headers } = await service.ask('POST', '/chat/completions', { body })
  const record = await until(async () => {
    const { body } = await service.ask('GET', `/generation?id=${headers.get('x-generation-id')}`)
    return body.data
  })
  assert.deepEqual([record.error, record.attempts[0].reason], [{ kind: 'rate_limited' }, 'status 429'])
})

test('completions are counted by provider and outcome', async () => {
  await using service = await startTestService()
  const ask = (content: string) =>
    service.ask('POST', '/chat/completions', {
      body: { model: 'signalbox/demo', stream: true, messages: [{ role: 'user', content }] },
    })
  await ask('Hi')
  await ask('demo:error=503')
  const { text } = await service.manage('GET', '/metrics')
  for (const line of [
    /^signalbox_completion_duration_seconds_count\{provider="signalbox",outcome="success"\} 1$/m,
    /^signalbox_completion_duration_seconds_count\{provider="none",outcome="failed"\} 1$/m,
    /^signalbox_completion_first_token_seconds_count\{provider="signalbox"\} 1$/m,
    /^signalbox_completion_tokens_sum\{provider="signalbox",kind="prompt"\} 1$/m,
    /^signalbox_completion_attempts_total\{provider="signalbox",outcome="bad_gateway"\} 1$/m,
  ])
    assert.match(text, line)
})

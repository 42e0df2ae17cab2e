import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { hashOf } from '#accounts/secret.ts'
import { newPlace } from '#test/harness/databases.ts'
import { startProcess } from '#test/harness/server-process.ts'
import { startTestService } from '#test/harness/service.ts'
import { until } from '#test/harness/until.ts'

const apiKey = `sb-v1-${'c'.repeat(64)}`
const traceId = '0af7651916cd43dd8448eb211c80319c'

/** One completion by a server of its own. @returns what it wrote to its standard error. */
async function serveOne(env: Record<string, string>, content: string, model = 'signalbox/demo'): Promise<string> {
  const place = await newPlace('sqlite')
  await using server = startProcess({
    DATA_DIR: place.settings.data_dir,
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
  }).then((answer) => answer.text())
  server.signal('SIGTERM')
  await server.ended
  await place.remove()
  return server.err()
}

test('a completion is a trace with the attributes for generative AI, below the span of its caller', async () => {
  const got: any[] = []
  const collector = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    got.push({ url: request.url, ...JSON.parse(Buffer.concat(parts).toString()) })
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  await serveOne({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SERVICE_NAME: 'my-router' }, 'Hi')
  collector.close()
  assert.equal(got[0]?.url, '/v1/traces')
  assert.match(JSON.stringify(got[0].resourceSpans[0].resource), /"service.name","value":\{"stringValue":"my-router"/)
  const spans = got.flatMap(({ resourceSpans }) => resourceSpans[0].scopeSpans[0].spans)
  const root = spans.find((span) => span.parentSpanId === 'b7ad6b7169203331')
  assert.deepEqual([root.name, root.traceId], ['chat signalbox/demo', traceId])
  const said = Object.fromEntries(root.attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]))
  assert.deepEqual(
    [
      said['gen_ai.operation.name'],
      said['gen_ai.request.model'],
      said['gen_ai.conversation.id'],
      said['gen_ai.usage.input_tokens'],
    ],
    ['chat', 'signalbox/demo', 's1', 1],
  )
  assert.equal(spans.find((span) => span.parentSpanId === root.spanId)?.traceId, traceId)
})

test('a completion is one line of the log, and what was said is not in it', async () => {
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

test('the line of one that failed says why, with what each endpoint did, and nothing of what was said', async () => {
  const log = await serveOne({}, 'demo:error=503 a secret thing')
  const [line] = completionsIn(log)
  assert.deepEqual([line.outcome, line.error], ['failed', { kind: 'bad_gateway' }])
  assert.deepEqual([line.attempts.length, line.attempts[0].reason], [1, 'status 503'])
  assert.doesNotMatch(log, /secret thing/)
})

test('one that was refused before any endpoint was asked has its line too, with the reason', async () => {
  const [unknown] = completionsIn(await serveOne({}, 'a secret thing', 'no/such-model'))
  assert.deepEqual([unknown.outcome, unknown.model, unknown.key], ['refused', 'no/such-model', hashOf(apiKey)])
  assert.deepEqual([unknown.error.kind, unknown.error.message.slice(0, 18)], ['not_found', 'There is no model '])
})

test('what rules refuse is counted by rule and by guardrail, and the record names them', async () => {
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

const demo = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }

async function complete(service: TestService, key: string, more: object = {}): Promise<any> {
  const { headers } = await service.ask('POST', '/chat/completions', { key, body: { ...demo, ...more } })
  return untilMetered({ ask: (method, path) => service.ask(method, path, { key }) }, headers.get('x-generation-id'))
}

async function rows(service: TestService, body: object, key = service.managementKey): Promise<any[]> {
  const response = await service.ask('POST', '/analytics/query', { key, body })
  assert.equal(response.status, 200, response.text)
  return response.body.data.data
}

const amounts = ['answered_count', 'tokens_prompt', 'tokens_completion', 'tokens_reasoning']

onEachDatabase('POST /analytics/query', (kind) => {
  test('returns the figures of GET /activity by day, model, key and workspace', async () => {
    await using service = await startTestService({ kind })
    const other = (await service.manage('POST', '/keys', { name: 'other' })).body
    for (const key of [service.apiKey, other.key, other.key]) await complete(service, key)
    await service.ask('POST', '/chat/completions', { body: { ...demo, model: 'nobody/knows' } })
    const { data } = (await service.manage('GET', '/activity?group_by=key,workspace')).body
    const request = {
      metrics: [...amounts, 'total_usage'],
      dimensions: ['model', 'endpoint', 'api_key_id', 'workspace'],
    }
    const queryRows = await rows(service, { ...request, granularity: 'day' })
    const listed = queryRows
      .filter((row) => row.answered_count > 0)
      .map((row) => [
        row.date.slice(0, 10),
        row.model,
        row.endpoint,
        row.ids.api_key_id,
        ...amounts.map((name) => row[name]),
      ])
    const activity = data.map((item: any) => [
      item.date,
      item.model,
      item.endpoint_id,
      item.api_key_hash,
      item.requests,
      item.prompt_tokens,
      item.completion_tokens,
      item.reasoning_tokens,
    ])
    assert.deepEqual(listed.sort(), activity.sort())
    assert.equal(listed.length, 2)
    assert.deepEqual(new Set(queryRows.map((row) => row.api_key_id)).has('other'), true)
  })
})

test('an API key sees only its own requests, with any filter', async () => {
  await using service = await startTestService()
  const mine = (await service.manage('POST', '/keys', { name: 'mine' })).body
  await complete(service, service.apiKey)
  await complete(service, mine.key, { stream: true })
  const request = { metrics: ['request_count'], dimensions: ['api_key_id'] }
  const queryRows = async (more: object, key?: string) =>
    (await rows(service, { ...request, ...more }, key)).map((row) => row.request_count)
  assert.deepEqual(await queryRows({}), [1, 1])
  assert.deepEqual(await queryRows({}, mine.key), [1])
  const others = { field: 'api_key_id', operator: 'neq', value: mine.data.hash }
  assert.deepEqual(await queryRows({ filters: [others] }, mine.key), [])
  assert.deepEqual(await queryRows({ filters: [others] }), [1])
})

test('rows are ordered and limited in total and by group, and report omissions', async () => {
  await using service = await startTestService()
  for (const stream of [true, false, true]) await complete(service, service.apiKey, { stream })
  await service.ask('POST', '/chat/completions', { body: { ...demo, model: 'signalbox/demo', max_tokens: -1 } })
  const query = async (body: object) => (await service.manage('POST', '/analytics/query', body)).body.data
  const all = await query({
    metrics: ['request_count', 'error_rate', 'latency_p50', 'generation_time_p95', 'throughput_p99', 'cache_hit_rate'],
    granularity: 'minute',
  })
  assert.equal(
    all.data.reduce((sum: number, row: any) => sum + row.request_count, 0),
    3,
  )
  assert.ok(
    all.data.every((row: any) => row.generation_time_p95 > 0 && row.error_rate === 0),
    JSON.stringify(all),
  )
  const [first] = all.data
  assert.match(first.date, /:00\.000Z$/)
  const limited = await query({ metrics: ['request_count'], dimensions: ['outcome', 'model'], limit: 1 })
  assert.deepEqual([limited.data.length, limited.metadata.truncated], [1, false])
  const dates = { field: 'date', direction: 'desc' }
  const grouped = await query({
    metrics: ['request_count'],
    granularity: 'hour',
    dimensions: ['model'],
    group_limit: 1,
    order_by: dates,
  })
  assert.equal(grouped.data.length, 1)
})

test('an invalid query is refused with the valid values', async () => {
  await using service = await startTestService()
  const wrong = async (body: object) => {
    const response = await service.manage('POST', '/analytics/query', { metrics: ['request_count'], ...body })
    assert.equal(response.status, 400)
    return response.body.error.message
  }
  const filter = (more: object) => ({ filters: [{ field: 'model', operator: 'eq', value: 'a/b', ...more }] })
  const at = (start: string, end: string) => ({ time_range: { start, end } })
  assert.match(await wrong({ metrics: ['requests'] }), /metrics\[0\].*request_count/)
  assert.match(await wrong({ metrics: [] }), /metrics/)
  assert.match(await wrong({ group_by: ['model'] }), /unknown field "group_by"/)
  assert.match(await wrong(filter({ value: ['a/b'] })), /filters\[0\]\.value: eq takes one value/)
  assert.match(await wrong(filter({ operator: 'in' })), /filters\[0\]\.value: in takes a list of values/)
  assert.match(await wrong(filter({ include_unset: true })), /include_unset: is allowed only with in and not_in/)
  assert.match(await wrong(at('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z')), /start must be before end/)
  assert.match(
    await wrong(at('2026-01-02T00:00Z', '2026-01-03T00:00:00Z')),
    /time_range\.start: expected a UTC instant/,
  )
  const old = at('2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z')
  assert.match(await wrong({ granularity: 'minute', ...old }), /minutes are stored for 2 days/)
  assert.match(
    await wrong({ order_by: { field: 'error_count', direction: 'asc' } }),
    /error_count is not in the result/,
  )
})

test('OpenRouter’s own client queries, and reads the metadata', async () => {
  await using service = await startTestService()
  await complete(service, service.apiKey)
  const client = new OpenRouter({
    apiKey: service.managementKey,
    serverURL: service.url,
    retryConfig: { strategy: 'none' },
  })
  const { data: meta } = await client.analytics.getAnalyticsMeta()
  assert.deepEqual(
    meta.operators.map(({ name, valueType }) => [name, valueType]),
    [
      ['eq', 'scalar'],
      ['neq', 'scalar'],
      ['in', 'array'],
      ['not_in', 'array'],
    ],
  )
  const now = Date.now()
  const { data } = await client.analytics.queryAnalytics({
    requestBody: {
      metrics: meta.metrics.map(({ name }) => name),
      dimensions: meta.dimensions.map(({ name }) => name),
      granularity: 'hour',
      timeRange: { start: new Date(now - 86_400_000), end: new Date(now + 60_000) },
      filters: [{ field: 'preset', operator: 'not_in', value: ['none'], includeUnset: true }],
      orderBy: { field: 'date', direction: 'desc' },
      limit: 10,
      groupLimit: 10,
    },
  })
  assert.deepEqual([data.metadata.rowCount, data.metadata.truncated, data.data.length], [1, false, 1])
  const unknown = { field: 'api_key_id', operator: 'eq', value: 'gone' }
  const { data: none } = await client.analytics.queryAnalytics({
    requestBody: { metrics: ['request_count'], filters: [unknown] },
  })
  assert.deepEqual([none.data.length, none.warnings?.length], [0, 1])
})

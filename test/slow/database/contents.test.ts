import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { openDb } from '#platform/db/open.ts'
import { newTestStore, onEachDatabase, type TestStore } from '../../harness/database/databases.ts'
import { addOrganization } from '../../harness/database/organizations.ts'
import { apiKey, manage, startPriced } from '../../harness/service/load/priced-servers.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { addColleague } from '../../harness/service/world/colleague.ts'
import { until } from '../../harness/until.ts'
import { startWithRecordings } from '../../harness/upstream/recorded-providers.ts'

type Asking = Pick<TestService, 'ask'>

const saying = (content: string, more: object = {}) => ({
  model: 'signalbox/demo',
  messages: [{ role: 'user', content }],
  ...more,
})

/** @returns the id of the request. */
async function completed(service: Asking, body: object, path = '/chat/completions'): Promise<string> {
  const reply = await service.ask('POST', path, { body })
  assert.ok(reply.status < 300, reply.text)
  return reply.headers.get('x-generation-id')!
}

const read = (service: Asking, id: string) => service.ask('GET', `/generation/content?id=${id}`)

/** The stored contents, once they are written. */
const storedContent = (service: Asking, id: string) =>
  until(async () => {
    const { status, body } = await read(service, id)
    return status === 200 && body.data
  })

/** Waits until a request is metered and its contents would be written, then asserts that there are none. */
async function leftNothing(service: TestService, id: string, next: object = saying('the next one')) {
  await until(async () => (await service.manage('GET', `/generation?id=${id}`)).status === 200)
  // This one is written after it, in the same order.
  await storedContent(service, await completed(service, next))
  assert.equal((await service.manage('GET', `/generation/content?id=${id}`)).status, 404)
}

async function keepContents(service: TestService, more: object = {}): Promise<string> {
  const { id } = (await service.manage('GET', '/workspaces')).body.data[0]
  const body = { is_observability_io_logging_enabled: true, ...more }
  const { status, text } = await service.manage('PATCH', `/workspaces/${id}`, body)
  assert.equal(status, 200, text)
  return id
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())

const holds = (testStore: TestStore, text: string) =>
  filesBelow(testStore.settings.data_dir).filter((file) => readFileSync(file).includes(text))

/** The rows as stored. */
async function atRest(testStore: TestStore) {
  const db = await openDb(testStore.settings)
  const rows = await db.query.selectFrom('generation_contents').selectAll().execute()
  await db.close()
  return rows
}

onEachDatabase('stored contents', (kind) => {
  test('are stored only while the workspace enables it', async () => {
    await using service = await startTestService({ kind })
    const before = await completed(service, saying('keep it secret'))
    const { body } = await service.manage('GET', '/workspaces')
    assert.equal(body.data[0].is_observability_io_logging_enabled, false)
    await keepContents(service)
    await leftNothing(service, before)
    const during = await completed(service, saying('this is stored'))
    assert.equal((await storedContent(service, during)).input.messages[0].content, 'this is stored')
    await service.manage('PATCH', `/workspaces/${body.data[0].id}`, { is_observability_io_logging_enabled: false })
    const after = await completed(service, saying('nor this'))
    await keepContents(service)
    await leftNothing(service, after)
  })

  test('is returned unchanged in each protocol, also to OpenRouter’s client', async () => {
    await using service = await startTestService({ kind })
    await keepContents(service)
    const [chat, streamed, responses, messages] = [
      await completed(service, saying('demo:words=7')),
      await completed(service, saying('demo:words=7', { stream: true })),
      await completed(service, { model: 'signalbox/demo', input: 'demo:words=7' }, '/responses'),
      await completed(service, { ...saying('demo:words=7'), max_tokens: 100 }, '/messages'),
    ]
    for (const id of [chat, streamed, responses, messages]) {
      const { input, output, error, truncated } = await storedContent(service, id)
      assert.match(JSON.stringify(input.messages.at(-1)), /"role":"user".*demo:words=7/)
      assert.equal(output.completion.trim().split(/\s+/).length, 7)
      assert.deepEqual([error, truncated, output.reasoning], [null, false, null])
    }
    // Also by the id in the answer.
    const response = await service.ask('POST', '/chat/completions', { body: saying('demo:words=3') })
    await until(async () => (await read(service, response.body.id)).status === 200)
    const client = new OpenRouter({ apiKey: service.apiKey, serverURL: service.url })
    const { data } = await client.generations.listGenerationContent({ id: streamed })
    assert.deepEqual((data.input as { messages: unknown }).messages, [{ role: 'user', content: 'demo:words=7' }])
    assert.equal(data.output.completion, (await storedContent(service, chat)).output.completion)
  })

  test('is returned with all fields to repeat the request, unless too long', async () => {
    await using service = await startTestService({ kind, settings: { content_bytes: '4096' as never } })
    await keepContents(service)
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const how = { temperature: 0.3, seed: 7, tools, session_id: 'one' }
    const parametersOf = async (body: object) =>
      (await storedContent(service, await completed(service, body))).input.parameters
    assert.deepEqual(await parametersOf(saying('Hi', { ...how, stream: true })), how)
    assert.deepEqual(await parametersOf(saying('Hi')), {})
    const long = [{ type: 'function', function: { name: 'look', description: 'x'.repeat(5000) } }]
    assert.equal(await parametersOf(saying('Hi', { tools: long })), null)
  })

  test('are stored after guardrails, and not for refused requests', async () => {
    await using service = await startTestService({ kind })
    await keepContents(service)
    const { default_guardrail_id: guardrail } = (await service.manage('GET', '/workspaces')).body.data[0]
    const content_filters = [
      { pattern: 'falcon-\\d+', action: 'redact', label: '[CODE]' },
      { pattern: 'heron-\\d+', action: 'block' },
    ]
    await service.manage('PATCH', `/guardrails/${guardrail}`, { name: 'House', content_filters })
    const redacted = await completed(service, saying('about falcon-42'))
    assert.equal((await storedContent(service, redacted)).input.messages[0].content, 'about [CODE]')
    const refused = await service.ask('POST', '/chat/completions', { body: saying('about heron-42') })
    assert.equal(refused.status, 403)
    await leftNothing(service, refused.headers.get('x-generation-id')!)
  })

  test('are read and deleted by the member and managers only', async () => {
    await using service = await startTestService({ kind })
    await keepContents(service)
    const grace = await addColleague(service)
    const [mine, hers] = [await completed(service, saying('mine')), await completed(grace, saying('hers'))]
    await storedContent(service, mine)
    await storedContent(grace, hers)
    for (const method of ['GET', 'DELETE']) {
      const path = `/generation/content?id=${mine}`
      const unknown = await grace.ask(method, '/generation/content?id=gen-none')
      const others = await grace.ask(method, path)
      assert.deepEqual([others.status, others.body], [404, unknown.body])
      assert.equal((await service.ask(method, path, { key: null })).status, 401)
    }
    assert.equal((await service.manage('GET', `/generation/content?id=${hers}`)).status, 200)
    assert.deepEqual((await grace.ask('DELETE', `/generation/content?id=${hers}`)).body, { deleted: true })
    assert.equal((await read(grace, hers)).status, 404)
    // Metering data stays.
    await until(async () => (await service.manage('GET', `/generation?id=${hers}`)).status === 200)
    const { data } = (await service.manage('GET', '/audit?action=content.deleted')).body
    assert.deepEqual([data[0].target.id, data[0].actor.user_id], [hers, grace.userId])
    const { id } = (await service.manage('GET', '/workspaces')).body.data[0]
    assert.equal((await grace.ask('DELETE', `/workspaces/${id}/contents`)).status, 403)
    assert.equal((await service.manage('DELETE', '/workspaces/none/contents')).status, 404)
  })

  test('of a whole workspace is deleted, also of requests in flight; later is stored', async () => {
    await using service = await startTestService({ kind })
    const id = await keepContents(service)
    const ids = await Promise.all(Array.from({ length: 45 }, (_, at) => completed(service, saying(`one ${at}`))))
    for (const one of ids) await storedContent(service, one)
    const inFlight = await streaming(service, saying('demo:words=20 demo:pace=50', { stream: true }))
    const { body } = await service.manage('DELETE', `/workspaces/${id}/contents`)
    assert.deepEqual(body, { deleted: true, deleted_count: 45 })
    for (const one of ids) assert.equal((await read(service, one)).status, 404)
    await inFlight.rest()
    await leftNothing(service, inFlight.id)
    assert.equal((await service.manage('GET', '/audit?action=workspace.contents_deleted')).body.data.length, 1)
  })

  test('is of the wanted keys only, and of the wanted share of requests', async () => {
    await using service = await startTestService({ kind })
    const grace = await addColleague(service)
    await keepContents(service, { io_logging_api_key_ids: [grace.hash] })
    const [mine, hers] = [await completed(service, saying('mine')), await completed(grace, saying('hers'))]
    await storedContent(grace, hers)
    assert.equal((await read(service, mine)).status, 404)
    await keepContents(service, { io_logging_api_key_ids: null, io_logging_sampling_rate: 0.3 })
    await Promise.all(Array.from({ length: 200 }, () => completed(service, saying('sampled'))))
    await keepContents(service, { io_logging_sampling_rate: 1 })
    await storedContent(service, await completed(service, saying('the last')))
    const rows = (await metric(service)) - 2
    assert.ok(rows > 20 && rows < 110, `${rows} of 200`)
    for (const rate of [0, 1.1]) {
      const { id } = (await service.manage('GET', '/workspaces')).body.data[0]
      const refused = await service.manage('PATCH', `/workspaces/${id}`, { io_logging_sampling_rate: rate })
      assert.equal(refused.status, 400)
    }
  })

  test('are encrypted in all files, and deleted from all files', async () => {
    const testStore = await newTestStore(kind)
    const service = await startTestService({ testStore })
    const id = await keepContents(service)
    const secret = 'the heron flies at midnight'
    const [one, other] = [await completed(service, saying(secret)), await completed(service, saying(secret))]
    await storedContent(service, one)
    await storedContent(service, other)
    await service.manage('DELETE', `/generation/content?id=${one}`)
    await service.stop()
    const rows = await atRest(testStore)
    assert.deepEqual(
      rows.map((row) => row.id),
      [other],
    )
    assert.doesNotMatch(JSON.stringify(rows), /heron/)
    assert.deepEqual(holds(testStore, 'heron flies'), [])
    if (kind === 'sqlite') assert.equal(holds(testStore, rows[0]!.sealed.slice(10, 60)).length > 0, true)
    await using restarted = await startTestService({ testStore })
    assert.equal((await storedContent(restarted, other)).input.messages[0].content, secret)
    await restarted.manage('DELETE', `/workspaces/${id}/contents`)
    if (kind === 'sqlite') assert.deepEqual(holds(testStore, rows[0]!.sealed.slice(10, 60)), [])
    await restarted.stop()
    assert.deepEqual(await atRest(testStore), [])
    await testStore.remove()
  })

  test('is cut where it is too long, with a mark', async () => {
    await using service = await startTestService({ kind, settings: { content_bytes: 2000 } })
    await keepContents(service)
    const messages = Array.from({ length: 50 }, (_, at) => ({ role: 'user', content: `${at} ${'é'.repeat(200)}` }))
    const id = await completed(service, {
      ...saying(''),
      messages: [...messages, { role: 'user', content: 'demo:words=900' }],
    })
    const { input, output, truncated } = await storedContent(service, id)
    assert.equal(truncated, true)
    assert.equal(input.messages.at(-1).content, 'demo:words=900')
    assert.match(input.messages[0].content, /^… \[cut: \d+ earlier messages omitted\]$/)
    assert.match(output.completion, /… \[cut: \d+ characters omitted\]$/)
    const long = JSON.stringify({ input, output }).length
    assert.ok(long < 2 * 2000 + 2000, `${long}`)
  })

  test('without the key that it was encrypted with the service does not start', async () => {
    const testStore = await newTestStore(kind)
    const file = join(testStore.settings.data_dir, 'encryption.key')
    const service = await startTestService({ testStore })
    await keepContents(service)
    await storedContent(service, await completed(service, saying('sealed')))
    await service.stop()
    const right = readFileSync(file)
    writeFileSync(file, 'ab'.repeat(32))
    await assert.rejects(startTestService({ testStore }), /is not the one that .*stored contents/)
    writeFileSync(file, right)
    await (await startTestService({ testStore })).stop()
    await testStore.remove()
  })

  test('is forgotten after the time that the settings say', async () => {
    const testStore = await newTestStore(kind)
    const service = await startTestService({ testStore })
    await keepContents(service)
    const id = await completed(service, saying('old'))
    await storedContent(service, id)
    await service.stop()
    const later = await startTestService({
      testStore,
      now: () => Date.now() + 8 * 86_400_000,
      settings: { content_retention_days: 7 },
    })
    await until(async () => (await later.manage('GET', `/generation/content?id=${id}`)).status === 404)
    await later.stop()
    await testStore.remove()
  })
})

/** A request whose answer has started. */
async function streaming({ url, apiKey: key }: TestService, body: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
  const reader = response.body!.getReader()
  await reader.read()
  const rest = async () => {
    while (!(await reader.read()).done);
  }
  return { id: response.headers.get('x-generation-id')!, rest }
}

/** The number of contents that this server has stored. */
async function metric(service: TestService): Promise<number> {
  const { text } = await service.manage('GET', '/metrics')
  return Number(/^signalbox_contents_total\{outcome="kept"\} (\d+)/m.exec(text)?.[1])
}

test('are not readable or deletable by another organization', async () => {
  await using service = await startTestService()
  const workspace = await keepContents(service)
  const id = await completed(service, saying('ours'))
  await storedContent(service, id)
  const other = await addOrganization(service.testStore)
  for (const key of [other.apiKey, other.managementKey])
    for (const method of ['GET', 'DELETE'])
      assert.equal((await service.ask(method, `/generation/content?id=${id}`, { key })).status, 404)
  for (const name of [workspace, 'default']) {
    const refused = await service.ask('DELETE', `/workspaces/${name}/contents`, { key: other.managementKey })
    assert.equal(refused.status, 404)
  }
  assert.equal((await read(service, id)).status, 200)
})

test('nothing is stored of requests with zero data retention', async () => {
  await using recorded = await startWithRecordings({ zdr: true })
  const { service } = recorded
  await keepContents(service)
  const hi = { model: 'openai-chat/text', messages: [{ role: 'user', content: 'Hi' }] }
  const ask = (more: object = {}) => completed(service, { ...hi, ...more })
  const ordinary = await ask()
  assert.equal((await storedContent(service, ordinary)).input.messages[0].content, 'Hi')
  await leftNothing(service, await ask({ provider: { zdr: true } }), hi)
  await leftNothing(service, await ask({ provider: { zdr: true }, stream: true }), hi)
  const { default_guardrail_id: guardrail } = (await service.manage('GET', '/workspaces')).body.data[0]
  await service.manage('PATCH', `/guardrails/${guardrail}`, { name: 'House', enforce_zdr_other: true })
  const enforced = await ask()
  await service.manage('PATCH', `/guardrails/${guardrail}`, { enforce_zdr_other: false })
  await leftNothing(service, enforced, hi)
})

onEachDatabase('stored contents with three workers', (kind) => {
  test('are stored by any of them, and read and deleted at any', async () => {
    const testStore = await newTestStore(kind)
    const [server] = await startPriced(testStore, 1, undefined, { WORKERS: '3' })
    const url = await server!.url
    const [workspace] = (await manage(url, 'GET', '/workspaces')).data
    await manage(url, 'PATCH', `/workspaces/${workspace.id}`, { is_observability_io_logging_enabled: true })
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', connection: 'close' }
    const complete = async () => {
      const body = JSON.stringify(saying('three of us'))
      const reply = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })
      await reply.text()
      return reply.headers.get('x-generation-id')!
    }
    const statusOf = async (id: string) => (await fetch(`${url}/generation/content?id=${id}`, { headers })).status
    const ids = await Promise.all(Array.from({ length: 20 }, complete))
    for (const id of ids) await until(async () => (await statusOf(id)) === 200)
    const response = await manage(url, 'DELETE', `/workspaces/${workspace.id}/contents`)
    assert.equal(response.deleted_count, 20)
    for (const id of ids) assert.equal(await statusOf(id), 404)
    server!.signal('SIGTERM')
    await server!.ended
    await testStore.remove()
  })
})

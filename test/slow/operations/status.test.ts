import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { newTestStore, onEachDatabase } from '../../harness/database/databases.ts'
import { addOrganization } from '../../harness/database/organizations.ts'
import { startTcpProxy } from '../../harness/database/tcp-proxy.ts'
import { scripted } from '../../harness/interns/intern-chat.ts'
import { runningIntern, say } from '../../harness/interns/interns.ts'
import { startFaultyService } from '../../harness/service/faulty-service.ts'
import { managementKey, startPriced } from '../../harness/service/load/priced-servers.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'
import { type FaultyRequest, startFaultyUpstream } from '../../harness/upstream/faulty/faulty-upstream.ts'

const statusOf = async (service: Pick<TestService, 'manage'>) => {
  const { status, body, text } = await service.manage('GET', '/status')
  assert.equal(status, 200, text)
  return body.data
}
const broken = { changing: ({ socket }: FaultyRequest) => socket.resetAndDestroy() }
const ask = (service: TestService, model: string) =>
  service.ask('POST', '/chat/completions', { body: { model, messages: [{ role: 'user', content: 'Hi' }] } })

const usd = 1_000_000_000_000n

onEachDatabase('GET /status', (kind) => {
  test('of a service without trouble is quiet', async () => {
    await using service = await startTestService({ kind, settings: { starter_catalogue: 'false' as never } })
    const { circuits, organization, host, database } = await statusOf(service)
    assert.deepEqual([circuits, database], [[], { kind, state: 'ok' }])
    assert.deepEqual(host.workers, { wanted: 1, answering: 1 })
    assert.deepEqual(organization.money, { held_usd: 0, unaccounted_usd: 0 })
    assert.deepEqual(host.providers_without_credential, [])
    assert.deepEqual([organization.interns.failed, organization.interns.questions.waiting], [[], 0])
  })

  test('has interns that failed and questions that wait, of its organization alone', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted' })
    await say(service, id, 'permission shell allow_once')
    const bob = (await service.ask('POST', '/interns', { body: { name: 'bob' } })).body.id
    const db = await openDb(service.testStore.settings)
    const failure = { status: 'failed', last_failure_message: 'no room' }
    await db.query.updateTable('interns').set(failure).where('id', '=', bob).execute()
    await db.close()
    const { interns } = (await statusOf(service)).organization
    assert.deepEqual(
      interns.failed.map((intern: any) => [intern.id, intern.last_failure_message]),
      [[bob, 'no room']],
    )
    assert.deepEqual([interns.counts.running, interns.counts.failed], [1, 1])
    const [request] = (await service.ask('GET', `/interns/${id}/questions`)).body.data
    assert.deepEqual(interns.questions, { waiting: 1, first_deadline_at: request.deadline_at })
    const other = await addOrganization(service.testStore)
    const theirs = (await service.ask('GET', '/status', { key: other.managementKey })).body.data.organization.interns
    assert.deepEqual([theirs.failed, theirs.counts.running, theirs.questions.waiting], [[], 0, 0])
  })

  test('has the money that servers hold, separately for unreachable servers', async () => {
    await using service = await startTestService({ kind })
    const { hash, workspace_id } = (await service.manage('POST', '/keys', { name: 'limited', limit: 8 })).body.data
    const { default_guardrail_id } = (await service.manage('GET', `/workspaces/${workspace_id}`)).body.data
    const account = `guardrail:${default_guardrail_id}:key:${hash}`
    await service.manage('PATCH', `/guardrails/${default_guardrail_id}`, { limit_usd: 8 })
    await service.manage('PUT', '/workspaces/default/budgets/daily', { limit_usd: 8 })
    const db = await openDb(service.testStore.settings)
    const lease = { budget: `key:${hash}`, period: 0, spent_pico: 0n }
    const held = [
      { ...lease, server: 'heard never', held_pico: 1_500_000_000_000n, renewed_at: Date.now() + 60_000 },
      { ...lease, server: 'dead never', held_pico: 250_000_000_000n, renewed_at: Date.now() - 600_000 },
      { ...lease, server: 'each never', budget: account, held_pico: usd, renewed_at: Date.now() + 60_000 },
      {
        ...lease,
        server: 'pool daily',
        budget: `workspace:${workspace_id}:daily`,
        held_pico: usd,
        renewed_at: Date.now() + 60_000,
      },
      { ...lease, server: 'other never', budget: 'key:of-somebody-else', held_pico: 7n, renewed_at: Date.now() },
    ]
    await db.query.insertInto('budget_leases').values(held).execute()
    await db.close()
    assert.deepEqual((await statusOf(service)).organization.money, { held_usd: 3.5, unaccounted_usd: 0.25 })
  })

  test('has an open circuit of this host and another server, until it closes', async () => {
    let ahead = 0
    const now = () => Date.now() + ahead
    await using upstream = await startFaultyUpstream(broken)
    const testStore = await newTestStore(kind)
    await using stack = new AsyncDisposableStack()
    stack.defer(testStore.remove)
    const service = stack.use(await startFaultyService(upstream, ['changing'], { testStore, now }))
    const other = kind === 'postgres' ? stack.use(await startTestService({ testStore, now })) : undefined
    for (let n = 0; n < 12; n++) await ask(service, 'faulty/changing')
    const [circuit] = (await statusOf(service)).circuits
    assert.deepEqual(
      [circuit.endpoint.split('@')[0], circuit.state, circuit.workspace_id, circuit.of_this_host],
      ['faulty/changing', 'open', null, true],
    )
    if (other) {
      const answer = await until(async () => (await statusOf(other)).circuits[0])
      assert.deepEqual({ ...answer, of_this_host: true, until: circuit.until, reason: circuit.reason }, circuit)
      assert.equal(answer.of_this_host, false)
      ahead = 120_000
      assert.deepEqual((await statusOf(other)).circuits, [])
    }
  })
})

test('providers without credential and skipped catalogue rows are reported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-status-'))
  const file = join(folder, 'catalogue.json')
  const provider = { name: 'P', protocol: 'openai-chat', base_url: 'http://127.0.0.1:1/v1', credentials: ['P_KEY'] }
  const model = (endpoints: object) => ({ name: 'x', created: '2026-01-01', context_length: 10, endpoints })
  const offer = { model: 'x', prices: { prompt: 1, completion: 1 } }
  writeFileSync(
    file,
    JSON.stringify({ providers: { p: provider }, models: { 'a/x': model({ p: offer }), 'a/y': { created: 'never' } } }),
  )
  const settings = { catalogue_file: file, starter_catalogue: 'false' as never }
  try {
    for (const variables of [{}, { P_KEY: 'secret' }] as Record<string, string>[]) {
      await using service = await startTestService({ settings, variables })
      const { host } = await statusOf(service)
      const lacking = { provider: 'p', name: 'P', variables: ['P_KEY'], models: 1 }
      assert.deepEqual(host.providers_without_credential, 'P_KEY' in variables ? [] : [lacking])
      assert.equal(host.catalogue.skipped_count, 1)
      assert.match(JSON.stringify(host.catalogue.skipped), /a\/y/)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('during an outage of the database it says so, with local figures', {
  skip,
}, async () => {
  const testStore = await newTestStore('postgres')
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const proxy = stack.use(await startTcpProxy(testStore.settings.database_url!))
  const settings = { database_url: proxy.url, stale_keys_ms: 600_000 }
  const service = stack.use(
    await startTestService({ testStore: { ...testStore, settings: { ...testStore.settings, ...settings } } }),
  )
  assert.equal((await statusOf(service)).database.state, 'ok')
  assert.equal((await ask(service, 'signalbox/demo')).status, 200)
  proxy.turn('cut')
  const data = await until(async () => {
    await ask(service, 'signalbox/demo')
    const { status, body } = await service.manage('GET', '/status')
    return status === 200 && body.data.database.state === 'away' && body.data
  })
  assert.equal(data.organization, null)
  const { memory, files } = data.host.processes[0].ledger
  assert.ok(memory.waiting + files.waiting > 0)
  proxy.turn('open')
  await until(async () => (await statusOf(service)).database.state === 'ok')
})

test('each of several processes reports its state, name and circuits', async () => {
  const testStore = await newTestStore('sqlite')
  await using stack = new AsyncDisposableStack()
  stack.defer(testStore.remove)
  const [server] = await startPriced(testStore, 1, undefined, { WORKERS: '3' })
  stack.use(server!)
  const url = await server!.url
  const response = await fetch(`${url}/status`, { headers: { authorization: `Bearer ${managementKey}` } })
  const { host } = ((await response.json()) as any).data
  assert.deepEqual(host.workers, { wanted: 3, answering: 3 })
  assert.equal(new Set(host.processes.map(({ pid }: any) => pid)).size, 3)
  assert.equal(new Set(host.processes.map(({ server }: any) => server)).size, 3)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { type DatabaseKind, onEachDatabase } from '#test/harness/database/databases.ts'
import { addOrganization } from '#test/harness/database/organizations.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const listed = async (service: TestService, key = service.apiKey) =>
  (await service.ask('GET', '/interns/hosts', { key })).body.data as { name: string }[]
const command = (service: TestService, host: string, name: string, body?: object) =>
  service.manage('POST', `/organization/intern-hosts/${host}/${name}`, body)

onEachDatabase('hosts of interns', (kind) => {
  test('are listed with state, labels, capacity and use', async () => {
    await using here = await withLostHost(kind)
    const [own, lost] = await listed(here.service)
    assert.deepEqual(own, {
      name: 'here',
      state: 'up',
      ...since(null),
      labels: ['gpu'],
      capacity: 7,
      ...used(0, 1),
    })
    assert.deepEqual(lost, {
      name: 'lost',
      state: 'gone',
      ...since(here.lostAt),
      labels: [],
      capacity: null,
      ...used(3, 3),
    })
    assert.deepEqual(await listed(here.service, here.other.apiKey), [
      { ...own, interns: 0 },
      { ...lost, interns: 1 },
    ])
  })

  test('hosts gone for a day without interns of the organization are not listed', async () => {
    await using here = await withLostHost(kind)
    await here.write((db) => db.deleteFrom('interns').where('hostname', '=', 'lost'))
    const names = async () => (await listed(here.service)).map(({ name }) => name)
    assert.deepEqual(await names(), ['here', 'lost'])
    await here.write((db) => db.updateTable('intern_hosts').set({ seen_at: 1 }).where('name', '=', 'lost'))
    assert.deepEqual(await names(), ['here'])
  })

  test('give up all interns of the organization only', async () => {
    await using here = await withLostHost(kind)
    const { status, body } = await command(here.service, 'lost', 'give-up')
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.map(({ name, status }: any) => [name, status]),
      [
        ['mine', 'stopped'],
        ['of-ada', 'stopped'],
        ['idle', 'stopped'],
      ],
    )
    assert.deepEqual((await listed(here.service))[1]?.name, 'lost', 'for a day')
    assert.equal((await here.service.ask('GET', '/interns/mine')).body.hostname, null)
    assert.deepEqual(await here.onLost(), ['foreign'])
    const auditEvents = (await here.service.manage('GET', '/audit?limit=100')).body.data
    assert.equal(auditEvents.filter(({ action }: any) => action === 'intern.given_up').length, 3)
    assert.deepEqual((await command(here.service, 'lost', 'give-up')).body.data, [], 'again changes nothing')
  })

  test('have all interns moved, which are started there if they were in service', async () => {
    await using here = await withLostHost(kind)
    const nowhere = await command(here.service, 'lost', 'move', { to: 'nowhere' })
    assert.deepEqual([nowhere.status, /nowhere is not available/.test(nowhere.text)], [400, true])
    const { body } = await command(here.service, 'lost', 'move', { to: 'here' })
    assert.deepEqual(
      body.data.map(({ name, status }: any) => [name, status]),
      [
        ['mine', 'queued'],
        ['of-ada', 'queued'],
        ['idle', 'stopped'],
      ],
    )
    assert.deepEqual(await here.onLost(), ['foreign'])
  })

  test('that are up keep their interns, and unknown ones are not found', async () => {
    await using here = await withLostHost(kind)
    for (const [name, body] of [['give-up'], ['move', { to: 'here' }]] as const) {
      const there = await command(here.service, 'here', name, body)
      assert.deepEqual([there.status, /The host here is available/.test(there.text)], [409, true])
      assert.equal((await command(here.service, 'unheard-of', name, body)).status, 404)
    }
    assert.equal((await here.service.ask('GET', '/interns/near')).body.hostname, 'here')
  })
})

const since = (at: number | null) =>
  at === null
    ? { reason: null, since: null }
    : { reason: 'The host lost does not respond.', since: new Date(at).toISOString() }
const used = (capacity_used: number, interns: number) => ({ capacity_used, interns })

/** A service on the host `here`, and interns of two organizations on a host that has not reported for an hour. */
async function withLostHost(kind: DatabaseKind) {
  const settings = { intern_host: 'here', intern_labels: ['gpu'], intern_capacity: 7 }
  const service = await startTestService({ kind, settings })
  const other = await addOrganization(service.testStore)
  const db = await openDb(service.testStore.settings)
  const ada = await service.manage('POST', '/organization/members', { email: 'ada@example.com', name: 'Ada' })
  const adas = await service.manage('POST', '/keys', { name: 'Ada', creator_user_id: ada.body.data.id })
  const lostAt = Date.now() - 3600_000
  const lost = { name: 'lost', address: null, labels: '[]', capacity: 0, seen_at: lostAt, left_at: null }
  await db.query.insertInto('intern_hosts').values(lost).execute()
  const created: [name: string, key: string, hostname: string, status: string][] = [
    ['mine', service.apiKey, 'lost', 'running'],
    ['of-ada', adas.body.key, 'lost', 'failed'],
    ['idle', service.apiKey, 'lost', 'stopped'],
    ['foreign', other.apiKey, 'lost', 'running'],
    ['near', service.apiKey, 'here', 'stopped'],
  ]
  for (const [name, key, hostname, status] of created) {
    const { body } = await service.ask('POST', '/interns', { key, body: { name } })
    await db.query.updateTable('interns').set({ hostname, status }).where('id', '=', body.id).execute()
  }
  type Written = (query: typeof db.query) => { execute: () => Promise<unknown> }
  return {
    service,
    other,
    lostAt,
    write: (work: Written) => work(db.query).execute(),
    onLost: async () =>
      (await db.query.selectFrom('interns').where('hostname', '=', 'lost').select('name').execute()).map(
        ({ name }) => name,
      ),
    async [Symbol.asyncDispose]() {
      await db.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

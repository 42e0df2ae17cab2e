import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const people = [
  ['Ada Lovelace', 'ada@example.com'],
  ['Grace Hopper', 'grace@navy.example'],
  ['Ünal Öz_100%', 'unal@example.com'],
]

async function world(kind: 'sqlite' | 'postgres') {
  const service = await startTestService({ kind })
  for (const [name, email] of people) {
    const { data } = (await service.manage('POST', '/organization/members', { name, email })).body
    await service.manage('POST', '/keys', { name: `Laptop of ${name}`, creator_user_id: data.id })
  }
  return service
}

const found = async (service: TestService, path: string, q: string) => {
  const { status, body, text } = await service.manage('GET', `${path}?q=${encodeURIComponent(q)}`)
  assert.equal(status, 200, text)
  assert.equal(body.total_count, body.data.length)
  return body.data
}

onEachDatabase('lists are searched on the server', (kind) => {
  test('members by words of name and address, in any order and case', async () => {
    await using service = await world(kind)
    const names = async (q: string) =>
      (await found(service, '/organization/members', q)).map((one: { first_name: string }) => one.first_name)
    assert.deepEqual(await names('LOVELACE ada'), ['Ada'])
    assert.deepEqual(await names('example.com'), ['Ada', 'Ünal'])
    assert.deepEqual(await names('navy'), ['Grace'])
    for (const q of ['ünal', 'ÜNAL', 'öz_100%']) assert.deepEqual(await names(q), ['Ünal'], q)
    for (const q of ['%', '_']) assert.deepEqual(await names(q), ['Ünal'], q)
    assert.deepEqual(await names('ada grace'), [])
    assert.equal((await names('')).length, 4)
  })

  test('finds keys by name, label, hash and external user', async () => {
    await using service = await world(kind)
    const names = async (q: string) => (await found(service, '/keys', q)).map((one: { name: string }) => one.name)
    const [key] = await found(service, '/keys', 'laptop hopper')
    assert.equal(key.name, 'Laptop of Grace Hopper')
    for (const q of [key.label, key.hash, 'grace@navy']) assert.deepEqual(await names(q), ['Laptop of Grace Hopper'], q)
    assert.deepEqual(await names(key.hash.slice(0, 20)), [])
    assert.deepEqual(await names('laptop nobody'), [])
  })

  test('keys that expire before a time, of all workspaces that the caller reaches', async () => {
    await using service = await startTestService({ kind })
    const time = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    await service.manage('POST', '/workspaces', { name: 'Lab', slug: 'lab' })
    await service.manage('POST', '/keys', { name: 'later', expires_at: time(5), workspace_id: 'lab' })
    await service.manage('POST', '/keys', { name: 'sooner', expires_at: time(2) })
    await service.manage('POST', '/keys', { name: 'far', expires_at: time(20) })
    const off = await service.manage('POST', '/keys', { name: 'off', expires_at: time(3) })
    await service.manage('PATCH', `/keys/${off.body.data.hash}`, { disabled: true })
    const names = async (path: string) => (await service.manage('GET', path)).body.data.map(({ name }: any) => name)
    assert.deepEqual(await names(`/keys?expires_before=${time(7)}`), ['sooner', 'later'])
    assert.deepEqual(await names(`/keys?expires_before=${time(7)}&limit=1`), ['sooner'])
    assert.equal((await service.manage('GET', '/keys?expires_before=tomorrow')).status, 400)
    for (const parameters of [
      'order=limit_used&q=a',
      'order=limit_used&include_disabled=true',
      `expires_before=${time(7)}&include_disabled=true`,
      `expires_before=${time(7)}&order=limit_used`,
      'hashes=a&workspace_id=b',
    ]) {
      const { status, body } = await service.manage('GET', `/keys?${parameters}`)
      assert.equal(status, 400, parameters)
      assert.match(body.error.message, /cannot be combined with/)
    }
  })

  test('keys by the used share of their limit, of all workspaces that the caller reaches', async () => {
    await using service = await startTestService({ kind })
    await service.manage('POST', '/workspaces', { name: 'Lab', slug: 'lab' })
    const make = async (name: string, usd: number, more: object = {}) => {
      const { data } = (await service.manage('POST', '/keys', { name, limit: 10, ...more })).body
      const day = Math.floor(Date.now() / 86_400_000)
      const db = await openDb(service.testStore.settings)
      await db.query
        .insertInto('usage_days')
        .values({
          organization_id: 'o',
          workspace_id: 'w',
          user_id: 'u',
          key_hash: data.hash,
          day,
          byok: 0,
          model: 'm',
          endpoint: 'e',
          requests: 1,
          prompt_tokens: 0,
          completion_tokens: 0,
          reasoning_tokens: 0,
          cost_pico: BigInt(usd * 1e12),
        })
        .execute()
      await db.close()
      return data.hash
    }
    await make('half', 5)
    await make('exhausted', 11, { workspace_id: 'lab' })
    await make('small', 1)
    await make('unlimited', 100, { limit: null })
    const off = await make('off', 20)
    await service.manage('PATCH', `/keys/${off}`, { disabled: true })
    // At the pace of today it exceeds its limit this month, except at the end of the month.
    await make('fast', 9.9, { limit_reset: 'monthly' })
    const list = async (path: string) => (await service.manage('GET', path)).body
    const names = async (path: string) => (await list(path)).data.map(({ name }: any) => name)
    assert.deepEqual(await names('/keys?order=limit_used'), ['exhausted', 'fast', 'half', 'small'])
    assert.deepEqual(await names('/keys?order=limit_used&limit=2'), ['exhausted', 'fast'])
    assert.deepEqual(await names('/keys?order=limit_used&limit=2&offset=2'), ['half', 'small'])
    assert.equal((await list('/keys?order=limit_used&limit=2')).total_count, 4)
    assert.deepEqual(await list('/keys?order=limit_used&offset=9'), { data: [], total_count: 4 })
  })

  test('keys by their hashes, of all workspaces that the caller reaches', async () => {
    await using service = await world(kind)
    const { data: other } = (await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })).body
    const created = await service.manage('POST', '/keys', { name: 'elsewhere', workspace_id: other.id })
    const [hopper] = await found(service, '/keys', 'laptop hopper')
    const hashes = `${hopper.hash},${created.body.data.hash},${'0'.repeat(64)}`
    const { body } = await service.manage('GET', `/keys?hashes=${hashes}`)
    const names = (page: { data: { name: string }[] }) => page.data.map(({ name }) => name)
    assert.deepEqual(names(body), ['Laptop of Grace Hopper', 'elsewhere'])
    const { body: second } = await service.manage(
      'GET',
      `/keys?hashes=${hashes}&limit=1&offset=1&include_disabled=true`,
    )
    assert.deepEqual([names(second), second.total_count], [['elsewhere'], 2])
    const tooMany = Array.from({ length: 101 }, (_, at) => at).join()
    assert.equal((await service.manage('GET', `/keys?hashes=${tooMany}`)).status, 400)
  })

  test('the total counts all results, not only the page', async () => {
    await using service = await world(kind)
    const { body } = await service.manage('GET', '/keys?q=laptop&limit=1&offset=1')
    assert.deepEqual([body.data.length, body.total_count, body.data[0].name], [1, 3, 'Laptop of Grace Hopper'])
  })

  test('words that no database can hold are refused', async () => {
    await using service = await world(kind)
    for (const q of ['%00', 'x'.repeat(201)]) {
      const { status, body } = await service.manage('GET', `/keys?q=${q}`)
      assert.deepEqual([status, body.error.message.split(':')[1]], [400, ' q'])
    }
  })
})

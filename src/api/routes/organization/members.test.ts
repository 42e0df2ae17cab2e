import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { addOrganization } from '#test/harness/database/organizations.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const path = '/organization/members'
const ada = { email: 'Ada@Example.com', name: 'Ada King Lovelace' }

async function add(service: TestService, body: object = ada) {
  const { body: response, status } = await service.manage('POST', path, body)
  assert.equal(status, 201, JSON.stringify(response))
  return response.data
}

async function keyFor(service: TestService, userId: string, more: object = {}) {
  const { body } = await service.manage('POST', '/keys', { name: 'theirs', creator_user_id: userId, ...more })
  return body as { key: string; data: { hash: string } }
}

const emails = async (service: TestService) =>
  (await service.manage('GET', path)).body.data.map((member: { email: string }) => member.email)
const owner = async (service: TestService) => (await service.manage('GET', path)).body.data[0]
const statusWith = async (service: TestService, key: string) => (await service.ask('GET', '/key', { key })).status
const lastChange = async (service: TestService) => (await service.manage('GET', '/audit?limit=1')).body.data[0]

onEachDatabase('members of the organization', (kind) => {
  test('the first member is named owner until renamed', async () => {
    await using service = await startTestService({ kind })
    const { body } = await service.manage('GET', path)
    const { id, joined_at, ...first } = body.data[0]
    assert.deepEqual(first, {
      email: 'owner@localhost',
      first_name: 'Owner',
      last_name: null,
      role: 'org:admin',
      access: 'owner',
    })
    assert.equal(body.total_count, 1)
  })

  test('an added member is listed with both names, and can own keys', async () => {
    await using service = await startTestService({ kind })
    const { id, joined_at, ...rest } = await add(service)
    assert.deepEqual(rest, {
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'King Lovelace',
      role: 'org:member',
      access: 'member',
    })
    assert.deepEqual(await emails(service), ['owner@localhost', 'ada@example.com'])
    const { key } = await keyFor(service, id)
    assert.equal((await service.ask('GET', '/key', { key })).body.data.creator_user_id, id)
    const { action, target, after } = (await service.manage('GET', `/audit?target_id=${id}`)).body.data[0]
    assert.deepEqual([action, target.kind, after.email], ['member.joined', 'member', 'ada@example.com'])
  })

  test('a member is added once, and a returning one is the same user', async () => {
    await using service = await startTestService({ kind })
    const { id } = await add(service)
    const repeated = await service.manage('POST', path, { ...ada, email: 'ada@example.com' })
    assert.deepEqual(
      [repeated.status, repeated.body.error.message],
      [409, 'ada@example.com belongs to the organization already.'],
    )
    await service.manage('DELETE', `${path}/${id}`)
    assert.deepEqual(await emails(service), ['owner@localhost'])
    const back = await add(service, { ...ada, name: 'Ada', role: 'org:admin' })
    assert.deepEqual([back.id, back.first_name, back.last_name, back.role], [id, 'Ada', null, 'org:admin'])
    assert.equal((await lastChange(service)).action, 'member.rejoined')
  })

  test('keys of a removed member continue to work unless they are disabled', async () => {
    await using service = await startTestService({ kind })
    const { id } = await add(service)
    const { key } = await keyFor(service, id)
    assert.deepEqual((await service.manage('DELETE', `${path}/${id}`)).body, { deleted: true, disabled_keys: 0 })
    assert.equal(await statusWith(service, key), 200)
    await add(service)
    const missing = await service.manage('DELETE', `${path}/${id}?disable_keys=true`)
    assert.deepEqual(missing.body, { deleted: true, disabled_keys: 1 })
    assert.equal(await statusWith(service, key), 401)
    assert.equal((await lastChange(service)).after.disabled, true)
  })

  test('the holder of the last management key cannot leave', async () => {
    await using service = await startTestService({ kind })
    await add(service, { ...ada, role: 'org:admin' })
    const { id } = await owner(service)
    const { status, body } = await service.manage('DELETE', `${path}/${id}?disable_keys=true`)
    assert.equal(status, 409)
    assert.match(body.error.message, /last valid management key/)
    assert.deepEqual(await emails(service), ['owner@localhost', 'ada@example.com'])
    assert.equal(await statusWith(service, service.apiKey), 200)
  })

  test('the last admin cannot leave or give up the role', async () => {
    await using service = await startTestService({ kind })
    const { id } = await owner(service)
    const shutdown = await service.manage('DELETE', `${path}/${id}`)
    const stepping = await service.manage('PATCH', `${path}/${id}`, { role: 'org:member' })
    for (const { status, body } of [shutdown, stepping]) {
      assert.equal(status, 409)
      assert.match(body.error.message, /last admin.*Make another member an admin first/)
    }
  })

  test('name, address and role can be changed, each alone', async () => {
    await using service = await startTestService({ kind })
    const { id } = await owner(service)
    const change = async (patch: object) => (await service.manage('PATCH', `${path}/${id}`, patch)).body.data
    assert.equal((await change({ email: 'Grace@Example.com' })).email, 'grace@example.com')
    assert.equal((await change({ name: 'Grace Hopper' })).last_name, 'Hopper')
    const records = async () => (await service.manage('GET', '/audit')).body.total_count
    const before = await records()
    assert.equal((await change({})).first_name, 'Grace')
    assert.equal((await change({ name: 'Grace Hopper', email: 'grace@example.com' })).first_name, 'Grace')
    assert.equal(await records(), before)
    const other = await add(service)
    const promoted = await service.manage('PATCH', `${path}/${other.id}`, { role: 'org:admin' })
    assert.equal(promoted.body.data.role, 'org:admin')
    assert.equal((await change({ role: 'org:member' })).role, 'org:member')
    const taken = await service.manage('PATCH', `${path}/${id}`, { email: 'ada@example.com' })
    assert.deepEqual(
      [taken.status, taken.body.error.message],
      [409, 'ada@example.com is the address of another person.'],
    )
  })

  test('a member of another organization too cannot be renamed by this one', async () => {
    await using service = await startTestService({ kind })
    const { id } = await add(service)
    const { managementKey: key } = await addOrganization(service.testStore)
    const intruder = { email: 'ada@example.com', name: 'Mallory', role: 'org:admin' }
    const added = await service.ask('POST', path, { key, body: intruder })
    assert.deepEqual([added.status, added.body.data.id, added.body.data.first_name], [201, id, 'Mallory'])
    const moved = await service.ask('PATCH', `${path}/${id}`, { key, body: { email: 'mallory@example.com' } })
    assert.deepEqual(
      [moved.status, moved.body.error.message],
      [409, 'The address cannot be changed, because this user also belongs to another organization.'],
    )
    await service.ask('PATCH', `${path}/${id}`, { key, body: { name: 'Mallory Again' } })
    const ours = (await service.manage('GET', path)).body.data.find((member: { id: string }) => member.id === id)
    assert.deepEqual(
      [ours.email, ours.first_name, ours.last_name, ours.role],
      ['ada@example.com', 'Ada', 'King Lovelace', 'org:member'],
    )
  })

  test('an owner that is neither a member nor an address is refused by name', async () => {
    await using service = await startTestService({ kind })
    for (const method of ['PATCH', 'DELETE'] as const) {
      const { status } = await service.manage(method, `${path}/nobody`, method === 'PATCH' ? { name: 'X' } : undefined)
      assert.equal(status, 404)
    }
    const bodies = [
      [{ email: 'ada', name: 'Ada' }, /email: expected an email address/],
      [{ email: 'ada@example.com' }, /name/],
      [{ email: 'ada@example.com', name: ' ' }, /name/],
      [{ ...ada, role: 'owner' }, /role.*org:admin/],
    ] as const
    for (const [body, message] of bodies) {
      const { status, body: response } = await service.manage('POST', path, body)
      assert.equal(status, 400)
      assert.match(response.error.message, message)
    }
  })
})

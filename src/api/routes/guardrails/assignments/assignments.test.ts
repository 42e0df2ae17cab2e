import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { hashOf } from '#identity/accounts/keys/secret.ts'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { addOrganization } from '#test/harness/database/organizations.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

onEachDatabase('assignments of guardrails', (kind) => {
  let service: TestService
  before(async () => {
    service = await startTestService({ kind })
  })
  after(() => service[Symbol.asyncDispose]())

  const newGuardrail = async (body: object = {}): Promise<string> =>
    (await service.manage('POST', '/guardrails', { name: randomUUID(), ...body })).body.data.id
  const newKey = async (body: object = {}) =>
    (await service.manage('POST', '/keys', { name: 'A key', ...body })).body.data
  const keysOf = async (id: string) => (await service.manage('GET', `/guardrails/${id}/assignments/keys`)).body
  const assignKeys = (id: string, ...key_hashes: string[]) =>
    service.manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes })
  const member = async () => (await service.manage('GET', '/organization/members')).body.data[0].id

  test('an assigned key is listed with its name, under its guardrail and among all', async () => {
    const [id, key] = [await newGuardrail(), await newKey()]
    assert.deepEqual((await assignKeys(id, key.hash)).body, { assigned_count: 1 })
    const { data, total_count } = await keysOf(id)
    const { guardrail_id, key_hash, key_name, key_label } = data[0]
    assert.deepEqual([guardrail_id, key_hash, key_name, key_label], [id, key.hash, 'A key', key.label])
    assert.equal(total_count, 1)
    const all = (await service.manage('GET', '/guardrails/assignments/keys?limit=100')).body.data
    assert.ok(all.some((assignment: any) => assignment.id === data[0].id))
  })

  test('a key has at most one guardrail: the next takes the place of the one before', async () => {
    const [first, second, key] = [await newGuardrail(), await newGuardrail(), await newKey()]
    await assignKeys(first, key.hash)
    await assignKeys(second, key.hash, key.hash)
    assert.deepEqual([(await keysOf(first)).total_count, (await keysOf(second)).total_count], [0, 1])
  })

  test('assigning again changes nothing and leaves no record', async () => {
    const [id, key] = [await newGuardrail(), await newKey()]
    await assignKeys(id, key.hash)
    const once = await keysOf(id)
    assert.deepEqual((await assignKeys(id, key.hash)).body, { assigned_count: 1 })
    assert.deepEqual(await keysOf(id), once)
    const events = (await service.manage('GET', `/audit?target_id=${once.data[0].id}`)).body
    assert.deepEqual([events.total_count, events.data[0].action], [1, 'assignment.created'])
    assert.deepEqual([events.data[0].before, events.data[0].after], [null, once.data[0]])
  })

  test('many guardrails that want one key at once: exactly one has it', async () => {
    const ids = await Promise.all([newGuardrail(), newGuardrail(), newGuardrail(), newGuardrail()])
    const key = await newKey()
    const responses = await Promise.all(ids.map((id) => assignKeys(id, key.hash)))
    assert.ok(responses.every(({ status }) => status === 200))
    const counts = await Promise.all(ids.map(async (id) => (await keysOf(id)).total_count))
    assert.deepEqual(counts.sort(), [0, 0, 0, 1])
  })

  test('the guardrail does not apply to a removed key; the response has the count', async () => {
    const [id, key, other] = [await newGuardrail(), await newKey(), await newKey()]
    await assignKeys(id, key.hash)
    const path = `/guardrails/${id}/assignments/keys/remove`
    const remove = () => service.manage('POST', path, { key_hashes: [key.hash, other.hash] })
    const assignment = (await keysOf(id)).data[0]
    assert.deepEqual((await remove()).body, { unassigned_count: 1 })
    assert.deepEqual((await remove()).body, { unassigned_count: 0 })
    assert.deepEqual(await keysOf(id), { data: [], total_count: 0 })
    const [deleted] = (await service.manage('GET', `/audit?target_id=${assignment.id}`)).body.data
    assert.deepEqual([deleted.action, deleted.before, deleted.after], ['assignment.deleted', assignment, null])
  })

  test('deleting a guardrail unassigns its keys and members, each with a record', async () => {
    const [id, key] = [await newGuardrail(), await newKey()]
    await assignKeys(id, key.hash)
    await service.manage('POST', `/guardrails/${id}/assignments/members`, { member_user_ids: [await member()] })
    await service.manage('DELETE', `/guardrails/${id}`)
    assert.equal((await service.manage('GET', `/guardrails/${id}/assignments/keys`)).status, 404)
    const events = (await service.manage('GET', '/audit?action=assignment.deleted&limit=2')).body.data
    assert.deepEqual(
      events.map(({ before }: any) => before.guardrail_id),
      [id, id],
    )
    const second = await newGuardrail()
    assert.equal((await assignKeys(second, key.hash)).status, 200)
  })

  test('a deleted key is removed from the lists', async () => {
    const [id, key] = [await newGuardrail(), await newKey()]
    await assignKeys(id, key.hash)
    await service.manage('DELETE', `/keys/${key.hash}`)
    assert.deepEqual(await keysOf(id), { data: [], total_count: 0 })
  })

  test('a member has at most one guardrail in each workspace', async () => {
    const slug = `w-${randomUUID()}`
    const elsewhere = (await service.manage('POST', '/workspaces', { name: slug, slug })).body.data.id
    const ids = [await newGuardrail(), await newGuardrail(), await newGuardrail({ workspace_id: elsewhere })]
    const user_id = await member()
    for (const id of ids) {
      const path = `/guardrails/${id}/assignments/members`
      const { body } = await service.manage('POST', path, { member_user_ids: [user_id] })
      assert.deepEqual(body, { assigned_count: 1 })
    }
    const all = (await service.manage('GET', '/guardrails/assignments/members?limit=100')).body.data
    const mine = all.filter((assignment: any) => assignment.user_id === user_id)
    assert.deepEqual(mine.map(({ guardrail_id }: any) => guardrail_id).sort(), [ids[1], ids[2]].sort())
    const path = `/guardrails/${ids[1]}/assignments/members/remove`
    const { body } = await service.manage('POST', path, { member_user_ids: [user_id, 'nobody'] })
    assert.deepEqual(body, { unassigned_count: 1 })
  })

  test('members are named by their addresses, too', async () => {
    const email = `${randomUUID()}@example.com`
    const member = { email, name: 'Ada' }
    const user_id = (await service.manage('POST', '/organization/members', member)).body.data.id
    const path = `/guardrails/${await newGuardrail()}/assignments/members`
    const body = { member_user_ids: [email] }
    assert.deepEqual((await service.manage('POST', path, body)).body, { assigned_count: 1 })
    assert.equal((await service.manage('GET', path)).body.data[0].user_id, user_id)
    assert.deepEqual((await service.manage('POST', `${path}/remove`, body)).body, { unassigned_count: 1 })
  })

  test('with one unknown or foreign target none is assigned', async () => {
    const stranger = await addOrganization(service.testStore)
    const [id, key] = [await newGuardrail(), await newKey()]
    for (const unknown of ['0'.repeat(64), hashOf(stranger.apiKey)]) {
      const { status, body } = await assignKeys(id, key.hash, unknown)
      assert.equal(status, 404)
      assert.equal(body.error.message, 'key_hashes[1]: key not found.')
    }
    const path = `/guardrails/${id}/assignments/members`
    assert.equal((await service.manage('POST', path, { member_user_ids: ['nobody'] })).status, 404)
    assert.deepEqual(await keysOf(id), { data: [], total_count: 0 })
  })

  test('a key of another workspace than the guardrail is refused', async () => {
    const slug = `w-${randomUUID()}`
    const workspace_id = (await service.manage('POST', '/workspaces', { name: slug, slug })).body.data.id
    const { status, body } = await assignKeys(await newGuardrail({ workspace_id }), (await newKey()).hash)
    assert.equal(status, 400)
    assert.match(body.error.message, /key_hashes\[0]: this key belongs to another workspace/)
  })

  test('a list of targets has 1 to 500 items of the right form', async () => {
    const id = await newGuardrail()
    const hash = (i: number) => i.toString(16).padStart(64, '0')
    const status = async (rest: string, body: object) =>
      (await service.manage('POST', `/guardrails/${id}/assignments/${rest}`, body)).status
    for (const [rest, field, items] of [
      ['keys/remove', 'key_hashes', Array.from({ length: 501 }, (_, i) => hash(i))],
      ['members/remove', 'member_user_ids', Array.from({ length: 501 }, (_, i) => `user-${i}`)],
    ] as const) {
      assert.equal(await status(rest, { [field]: items.slice(0, 500) }), 200)
      for (const wrong of [[], items, ['\0'], [''], 'x', undefined])
        assert.equal(await status(rest, { [field]: wrong }), 400)
    }
    assert.equal(await status('keys', { key_hashes: ['no hash'] }), 400)
  })

  test('lists are paged', async () => {
    const id = await newGuardrail()
    const keys = [await newKey(), await newKey(), await newKey()]
    await assignKeys(id, ...keys.map((key) => key.hash))
    const page = async (query: string) =>
      (await service.manage('GET', `/guardrails/${id}/assignments/keys?${query}`)).body
    const [first, rest] = [await page('limit=2'), await page('offset=2')]
    assert.deepEqual([first.data.length, rest.data.length, rest.total_count], [2, 1, 3])
    const listed = [...first.data, ...rest.data].map((assignment: any) => assignment.key_hash)
    assert.deepEqual(listed.sort(), keys.map((key) => key.hash).sort())
    assert.equal((await service.manage('GET', `/guardrails/${id}/assignments/keys?limit=101`)).status, 400)
  })
})

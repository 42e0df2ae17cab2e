import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { addOrganization } from '#test/harness/database/organizations.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'

const create = async (service: TestService, body: object) =>
  (await service.manage('POST', '/guardrails', body)).body.data

/** A new workspace: its id, and the path of its unchanged default guardrail. */
async function newWorkspace(service: TestService): Promise<{ workspace_id: string; path: string; list: string }> {
  const slug = `w-${randomUUID()}`
  const { id, default_guardrail_id } = (await service.manage('POST', '/workspaces', { name: slug, slug })).body.data
  return { workspace_id: id, path: `/guardrails/${default_guardrail_id}`, list: `/guardrails?workspace_id=${id}` }
}

const actions = async (service: TestService, target: string) =>
  (await service.manage('GET', `/audit?target_id=${target}`)).body.data.map((event: any) => event.action).reverse()

onEachDatabase('guardrails', (kind) => {
  let service: TestService
  before(async () => {
    service = await startTestService({ kind })
  })
  after(() => service[Symbol.asyncDispose]())

  test('PATCH keeps omitted fields, replaces given ones, and deletes those with null', async () => {
    const all = {
      name: 'All',
      description: 'of it',
      limit_usd: 5,
      reset_interval: 'weekly',
      include_byok_in_budgets: true,
      allowed_providers: ['anthropic', 'openai'],
      enforce_zdr_other: true,
      content_filters: [{ pattern: 'x', action: 'flag' }],
    }
    const created = await create(service, all)
    const path = `/guardrails/${created.id}`
    const patched = await service.manage('PATCH', path, { allowed_providers: ['anthropic'], content_filters: null })
    const { updated_at } = patched.body.data
    assert.deepEqual(patched.body.data, {
      ...created,
      allowed_providers: ['anthropic'],
      content_filters: null,
      updated_at,
    })
    assert.ok(updated_at > created.updated_at)
  })

  test('the first PATCH of the default guardrail creates it under the reserved id', async () => {
    const { workspace_id, path, list } = await newWorkspace(service)
    assert.equal((await service.manage('GET', path)).status, 404)
    assert.equal((await service.manage('DELETE', path)).status, 404)
    assert.deepEqual((await service.manage('GET', list)).body, { data: [], total_count: 0 })
    const { status, body } = await service.manage('PATCH', path, {})
    assert.deepEqual([status, body.data.name], [200, `Workspace ${workspace_id} Default`])
    assert.deepEqual((await service.manage('GET', path)).body, body)
    assert.deepEqual((await service.manage('GET', list)).body, { data: [body.data], total_count: 1 })
    assert.deepEqual(await actions(service, body.data.id), ['guardrail.created'])
  })

  test('a default refused at its birth is not born', async () => {
    const { workspace_id, path } = await newWorkspace(service)
    await create(service, { workspace_id, name: `Workspace ${workspace_id} Default` })
    assert.equal((await service.manage('PATCH', path, { reset_interval: 'daily' })).status, 400)
    assert.equal((await service.manage('PATCH', path, {})).status, 409)
    assert.equal((await service.manage('GET', path)).status, 404)
    assert.equal((await service.manage('PATCH', path, { name: 'Mine' })).body.data.name, 'Mine')
  })

  test('the default of a workspace cannot be deleted', async () => {
    const { path } = await newWorkspace(service)
    await service.manage('PATCH', path, {})
    const { status, body } = await service.manage('DELETE', path)
    assert.equal(status, 400)
    assert.match(body.error.message, /default of its workspace and cannot be deleted/)
    assert.equal((await service.manage('GET', path)).status, 200)
  })

  test('two first PATCHes at once make one guardrail that holds both changes', async () => {
    const { path, list } = await newWorkspace(service)
    const patches = [{ limit_usd: 7 }, { description: 'both' }, { enforce_zdr: true }, { allowed_data_regions: ['us'] }]
    const responses = await Promise.all(patches.map((patch) => service.manage('PATCH', path, patch)))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    const { data, total_count } = (await service.manage('GET', list)).body
    assert.equal(total_count, 1)
    const { limit_usd, description, enforce_zdr_other, allowed_data_regions } = data[0]
    assert.deepEqual([limit_usd, description, enforce_zdr_other, allowed_data_regions], [7, 'both', true, ['us']])
    const [first, ...others] = await actions(service, data[0].id)
    assert.deepEqual([first, new Set(others)], ['guardrail.created', new Set(['guardrail.updated'])])
  })

  test('of concurrent creations with one name one succeeds, the others get 409', async () => {
    const { workspace_id, list } = await newWorkspace(service)
    const created = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(service, { name, workspace_id })))
    const changes = { name: 'wanted', description: 'changed' }
    const responses = await Promise.all(created.map(({ id }) => service.manage('PATCH', `/guardrails/${id}`, changes)))
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409, 409])
    const refused = responses.find(({ status }) => status === 409)
    assert.match(refused?.body.error.message, /has this name. Nothing was changed/)
    assert.equal((await service.manage('POST', '/guardrails', { ...changes, workspace_id })).status, 409)
    const { data } = (await service.manage('GET', list)).body
    assert.equal(data.filter((one: any) => one.description === 'changed').length, 1)
  })

  test('a name is unique per workspace, and PATCH accepts the same name', async () => {
    const { workspace_id, list } = await newWorkspace(service)
    const { id } = await create(service, { name: 'same' })
    const elsewhere = await create(service, { name: 'same', workspace_id })
    assert.equal(elsewhere.workspace_id, workspace_id)
    assert.equal((await service.manage('PATCH', `/guardrails/${id}`, { name: 'same' })).status, 200)
    assert.deepEqual((await service.manage('GET', list)).body, { data: [elsewhere], total_count: 1 })
    const everywhere = (await service.manage('GET', '/guardrails?limit=100')).body.data
    assert.equal(everywhere.filter(({ name }: any) => name === 'same').length, 2)
  })

  test('another organization’s guardrail is answered like an unknown one', async () => {
    const stranger = await addOrganization(service.testStore)
    const mine = (await create(service, { name: 'Mine' })).id
    const unborn = (await newWorkspace(service)).path.split('/').at(-1)
    const ask = async (method: string, id: string | undefined, rest: string, body?: object) => {
      const { status, text } = await service.ask(method, `/guardrails/${id}${rest}`, {
        key: stranger.managementKey,
        body,
      })
      return { status, text }
    }
    const calls: [method: string, rest: string, body?: object][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Yours' }],
      ['DELETE', ''],
      ['GET', '/assignments/keys'],
      ['GET', '/assignments/members'],
      ['POST', '/assignments/keys', { key_hashes: ['0'.repeat(64)] }],
      ['POST', '/assignments/keys/remove', { key_hashes: ['0'.repeat(64)] }],
      ['POST', '/assignments/members', { member_user_ids: ['x'] }],
      ['POST', '/assignments/members/remove', { member_user_ids: ['x'] }],
    ]
    for (const call of calls) {
      const unknown = await ask(call[0], unknownId, call[1], call[2])
      assert.equal(unknown.status, 404)
      for (const id of [mine, unborn, 'nonsense', '..%2F..'])
        assert.deepEqual(await ask(call[0], id, call[1], call[2]), unknown)
    }
    assert.equal((await service.manage('GET', `/guardrails/${mine}`)).body.data.name, 'Mine')
  })

  test('"limited" lists only guardrails with a limit', async () => {
    const { id: workspace_id } = (await service.manage('POST', '/workspaces', { name: 'L', slug: 'limited' })).body.data
    for (const [name, limit_usd] of [
      ['free', null],
      ['small', 1],
      ['large', 50],
    ])
      await service.manage('POST', '/guardrails', { name, workspace_id, limit_usd })
    const { data, total_count } = (await service.manage('GET', '/guardrails?workspace_id=limited&limited=true')).body
    assert.deepEqual([data.map(({ name }: any) => name), total_count], [['small', 'large'], 2])
  })

  test('another organization’s workspace is as unknown as one that does not exist', async () => {
    const stranger = await addOrganization(service.testStore)
    const listed = [stranger.workspaceId, unknownId].map((id) =>
      service.manage('GET', `/guardrails?workspace_id=${id}`),
    )
    const created = [stranger.workspaceId, unknownId].map((workspace_id) =>
      service.manage('POST', '/guardrails', { name: 'x', workspace_id }),
    )
    const responses = await Promise.all([...listed, ...created])
    for (const { status, text } of responses) assert.deepEqual([status, text], [400, responses[0]?.text])
  })

  test('a change leaves a record of who, before and after, and a refused one leaves none', async () => {
    const created = await create(service, { name: 'Watched' })
    const path = `/guardrails/${created.id}`
    // The amount spent is part of a response to a read, but not of a response to a change.
    const { spent_usd, unconfirmed_usd, held_usd, forecast_usd, resets_at, spenders, ...patched } = (
      await service.manage('PATCH', path, { limit_usd: 3 })
    ).body.data
    await service.manage('PATCH', path, { limit_usd: -3 })
    assert.deepEqual((await service.manage('DELETE', path)).body, { deleted: true })
    const events = (await service.manage('GET', `/audit?target_id=${created.id}`)).body.data.reverse()
    assert.deepEqual(
      events.map(({ action, before, after }: any) => [action, before, after]),
      [
        ['guardrail.created', null, created],
        ['guardrail.updated', created, patched],
        ['guardrail.deleted', patched, null],
      ],
    )
    const key = (await service.manage('GET', '/key')).body.data
    assert.ok(events.every(({ actor }: any) => actor.key_hash === key.hash))
  })

  test('a writer that waits too long for another gets 409 and changes nothing', {
    skip: kind === 'sqlite' && 'the embedded database is opened by one process only',
  }, async () => {
    const { workspace_id, path } = await newWorkspace(service)
    const db = await openDb(service.testStore.settings)
    const [inside, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = db.exclusively(`guardrails:${workspace_id}`, () => {
      inside.resolve()
      return held.promise
    })
    await inside.promise
    const { status, body } = await service.manage('PATCH', path, { limit_usd: 3 })
    held.resolve()
    await holding
    await db.close()
    assert.equal(status, 409)
    assert.match(body.error.message, /taking too long. Nothing was changed; try again later/)
    assert.equal((await service.manage('GET', path)).status, 404)
  })
})

test('every failure of PATCH has the status that the operation names', async () => {
  await using service = await startTestService()
  const { path } = await newWorkspace(service)
  const status = async (options: object, method = 'PATCH') => (await service.ask(method, path, options)).status
  const body = { limit_usd: 1 }
  assert.equal(await status({ key: null, body }), 401)
  assert.equal(await status({ key: `sb-v1-${'0'.repeat(64)}`, body }), 401)
  assert.equal(await status({ body }), 401)
  const key = service.managementKey
  assert.equal(await status({ key }), 400)
  for (const wrong of [[], 'text', null, 1]) assert.equal(await status({ key, body: wrong }), 400)
  assert.equal(await status({ key, body, headers: { 'content-type': 'text/plain' } }), 400)
  assert.equal(await status({ key, body: { name: 'x'.repeat(4 * 1024 * 1024) } }), 413)
  assert.equal(await status({ key, body }, 'PUT'), 405)
  assert.equal(await status({ key, body }), 200)
})

test('an API key is refused on all guardrail paths, and a body must be declared', async () => {
  await using service = await startTestService()
  const { path } = await newWorkspace(service)
  const reads = ['/guardrails', path, '/guardrails/assignments/keys', '/guardrails/assignments/members']
  for (const read of [...reads, `${path}/assignments/keys`, `${path}/assignments/members`, `${path}/thresholds`]) {
    assert.equal((await service.ask('GET', read)).status, 401, read)
  }
  assert.equal((await service.ask('PUT', `${path}/thresholds`, { body: {} })).status, 401)
  const writes = ['keys', 'keys/remove', 'members', 'members/remove'].map((end) => `${path}/assignments/${end}`)
  const undeclared = { key: service.managementKey, body: {}, headers: { 'content-type': 'text/plain' } }
  for (const write of ['/guardrails', ...writes]) {
    assert.equal((await service.ask('POST', write, { body: {} })).status, 401, write)
    assert.equal((await service.ask('POST', write, undeclared)).status, 415, write)
  }
})

test('limit and interval depend on each other across requests', async () => {
  await using service = await startTestService()
  const path = `/guardrails/${(await create(service, { name: 'Budget', limit_usd: 5, reset_interval: 'daily' })).id}`
  const patch = async (body: object) => (await service.manage('PATCH', path, body)).status
  assert.equal(await patch({ limit_usd: null }), 400)
  assert.equal(await patch({ limit_usd: 6 }), 200)
  assert.equal(await patch({ limit_usd: null, reset_interval: null }), 200)
  assert.equal(await patch({ reset_interval: 'monthly' }), 400)
  assert.equal(await patch({ reset_interval: 'monthly', limit_usd: 1 }), 200)
  assert.equal(await patch({ reset_interval: null }), 200)
  assert.equal((await service.manage('POST', '/guardrails', { name: 'No limit', reset_interval: 'daily' })).status, 400)
})

test('enforce_zdr is copied to the vendor fields that the request omits', async () => {
  await using service = await startTestService()
  const path = `/guardrails/${(await create(service, { name: 'ZDR', enforce_zdr_vendor_a: false })).id}`
  const { data } = (await service.manage('PATCH', path, { enforce_zdr: true, enforce_zdr_google: false })).body
  assert.deepEqual(
    ['', '_vendor_a', '_vendor_b', '_vendor_c', '_vendor_d', '_other'].map((end) => data[`enforce_zdr${end}`]),
    [true, true, false, true, true, true],
  )
  assert.deepEqual([data.enforce_zdr_anthropic, data.enforce_zdr_google], [true, false])
  const both = await service.manage('PATCH', path, { enforce_zdr_vendor_d: true, enforce_zdr_xai: false })
  assert.equal(both.status, 400)
  assert.match(both.body.error.message, /enforce_zdr_xai: is another name of enforce_zdr_vendor_d/)
})

test('a vendor field in capitals is refused, because it would forbid nothing', async () => {
  await using service = await startTestService()
  const refused = await service.manage('POST', '/guardrails', { name: 'ZDR', ENFORCE_ZDR_OTHER: true })
  assert.equal(refused.status, 400)
  assert.match(refused.body.error.message, /ENFORCE_ZDR_OTHER/)
})

test('hostile patterns in one request do not hold up the other requests', async () => {
  await using service = await startTestService()
  const content_filters = Array.from({ length: 40 }, (_, i) => ({
    pattern: `${'a{1000}'.repeat(19)}${i}`,
    action: 'flag',
  }))
  const refusal = service.manage('POST', '/guardrails', { name: 'Hostile', content_filters })
  let answered = 0
  let settled = false
  void refusal.finally(() => {
    settled = true
  })
  while (!settled) {
    await service.ask('GET', '/health', { key: null })
    answered++
  }
  assert.match((await refusal).body.error.message, /content_filters: have more than 100000 steps in total/)
  assert.ok(answered >= 5, `only ${answered} other requests were answered meanwhile`)
})

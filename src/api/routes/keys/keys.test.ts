import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const future = new Date(Date.now() + 3_600_000).toISOString()
const past = new Date(Date.now() - 1000).toISOString()
const words = (length: number) => 'n'.repeat(length)

async function newKey(service: TestService, body: object = {}) {
  const { body: created, status } = await service.manage('POST', '/keys', { name: 'test', ...body })
  assert.equal(status, 201)
  return created as { data: any; key: string }
}
const statusWith = async (service: TestService, key: string) => (await service.ask('GET', '/key', { key })).status

/** The fields about the limit of a key without one. */
const noLimitFields = {
  limit_remaining: null,
  limit_spent: null,
  limit_unconfirmed: null,
  limit_held: null,
  limit_forecast: null,
  limit_resets_at: null,
}

onEachDatabase('keys', (kind) => {
  test('a new key works at once, and its secret is shown only then', async () => {
    await using service = await startTestService({ kind })
    const { data, key } = await newKey(service, { name: 'ci' })
    assert.match(key, /^sb-v1-[0-9a-f]{64}$/)
    assert.equal(data.label, `${key.slice(0, 9)}…${key.slice(-3)}`)
    assert.equal(await statusWith(service, key), 200)
    const { text } = await service.manage('GET', `/keys/${data.hash}`)
    assert.ok(!text.includes(key.slice(10, 60)))
  })

  test('a new key has no limit, no end, and has spent nothing', async () => {
    await using service = await startTestService({ kind })
    const { data } = await newKey(service)
    const { hash, label, workspace_id, creator_user_id, created_at, updated_at, ...rest } = data
    assert.deepEqual(rest, {
      kind: 'api',
      name: 'test',
      creator_name: 'Owner',
      creator_email: 'owner@localhost',
      external_user: null,
      disabled: false,
      limit: null,
      limit_reset: null,
      include_byok_in_limit: false,
      expires_at: null,
      interns_grant: false,
      usage: 0,
      usage_daily: 0,
      usage_weekly: 0,
      usage_monthly: 0,
      unconfirmed_usd: 0,
      byok_usage: 0,
      byok_usage_daily: 0,
      byok_usage_weekly: 0,
      byok_usage_monthly: 0,
      ...noLimitFields,
    })
  })

  test('a disabled key and a deleted one are refused by the next request', async () => {
    await using service = await startTestService({ kind })
    const { data, key } = await newKey(service)
    assert.equal(await statusWith(service, key), 200)
    await service.manage('PATCH', `/keys/${data.hash}`, { disabled: true })
    assert.equal(await statusWith(service, key), 401)
    await service.manage('PATCH', `/keys/${data.hash}`, { disabled: false })
    assert.equal(await statusWith(service, key), 200)
    assert.deepEqual((await service.manage('DELETE', `/keys/${data.hash}`)).body, { deleted: true })
    assert.equal(await statusWith(service, key), 401)
    assert.equal((await service.manage('GET', `/keys/${data.hash}`)).status, 404)
  })

  test('a key expires', async () => {
    let now = Date.now()
    await using service = await startTestService({ kind, now: () => now })
    const { key } = await newKey(service, { expires_at: future })
    assert.equal(await statusWith(service, key), 200)
    now = Date.parse(future)
    assert.equal(await statusWith(service, key), 401)
  })

  test('a change keeps omitted fields', async () => {
    await using service = await startTestService({ kind })
    const { data } = await newKey(service, { limit: 5, limit_reset: 'weekly', expires_at: future })
    const changed = await service.manage('PATCH', `/keys/${data.hash}`, { name: 'renamed', limit: null })
    const { updated_at, ...rest } = changed.body.data
    assert.deepEqual(rest, { ...omit(data, 'updated_at'), name: 'renamed', limit: null, ...noLimitFields })
  })

  test('a list pages through the enabled keys of a workspace, newest first, each once', async () => {
    await using service = await startTestService({ kind })
    for (const name of ['a', 'b', 'c']) await newKey(service, { name })
    const { data } = await newKey(service, { name: 'disabled' })
    await service.manage('PATCH', `/keys/${data.hash}`, { disabled: true })
    const pages = await Promise.all([0, 2, 4].map((offset) => service.manage('GET', `/keys?offset=${offset}&limit=2`)))
    const names = pages.flatMap((page) => page.body.data.map((key: any) => key.name))
    assert.deepEqual(
      pages.map((page) => page.body.total_count),
      [5, 5, 5],
    )
    assert.deepEqual(names.toSorted(), ['First API key', 'First management key', 'a', 'b', 'c'])
    assert.equal((await service.manage('GET', '/keys?include_disabled=true')).body.total_count, 6)
  })

  test('a list of keys that expire soon has pages, soonest first, with their total', async () => {
    await using service = await startTestService({ kind })
    for (const [name, day] of Object.entries({ b: 2, c: 3, a: 1, later: 9 }))
      await newKey(service, { name, expires_at: `2099-01-0${day}T00:00:00Z` })
    const path = '/keys?expires_before=2099-01-05T00:00:00Z&limit=2'
    const pages = await Promise.all([0, 2].map((offset) => service.manage('GET', `${path}&offset=${offset}`)))
    assert.deepEqual(
      pages.map(({ body }) => [body.data.map((key: any) => key.name), body.total_count]),
      [
        [['a', 'b'], 3],
        [['c'], 3],
      ],
    )
  })
})

function omit(record: Record<string, unknown>, name: string) {
  const { [name]: _, ...rest } = record
  return rest
}

const bodies: [what: string, body: object, status: number, says?: RegExp][] = [
  ['a name of 1', { name: 'n' }, 201],
  ['a name of 200', { name: words(200) }, 201],
  ['no name', {}, 400, /name/],
  ['an empty name', { name: '' }, 400, /name/],
  ['a name of 201', { name: words(201) }, 400, /name/],
  ['a limit', { name: 'n', limit: 0.01 }, 201],
  ['a limit of null', { name: 'n', limit: null }, 201],
  ['a limit of 0', { name: 'n', limit: 0 }, 400, /limit/],
  ['a limit below 0', { name: 'n', limit: -1 }, 400, /limit/],
  ['a limit as text', { name: 'n', limit: '5' }, 400, /limit/],
  ['each reset', { name: 'n', limit: 1, limit_reset: 'monthly' }, 201],
  ['an unknown reset', { name: 'n', limit_reset: 'yearly' }, 400, /limit_reset/],
  ['an end in the future', { name: 'n', expires_at: future }, 201],
  ['an end in another time zone', { name: 'n', expires_at: future.replace('Z', '+00:00') }, 201],
  ['an end in the past', { name: 'n', expires_at: past }, 400, /expires_at: expected an instant in the future/],
  ['an end without seconds', { name: 'n', expires_at: '2099-01-01T00:00Z' }, 400, /expires_at: expected an ISO 8601/],
  ['an end that is not a date', { name: 'n', expires_at: 'tomorrow' }, 400, /expires_at/],
  ['a management key', { name: 'n', kind: 'management' }, 201],
  ['an intern key', { name: 'n', kind: 'intern' }, 400, /kind/],
  ['a creator of null', { name: 'n', creator_user_id: null }, 201],
  ['a stranger as creator', { name: 'n', creator_user_id: 'x' }, 400, /creator_user_id: member not found/],
  ['an unknown workspace', { name: 'n', workspace_id: 'x' }, 400, /workspace_id: workspace not found/],
  ['an end user', { name: 'n', external: { user: 'u-1' } }, 201],
  ['an end user of 257 characters', { name: 'n', external: { user: words(257) } }, 400, /external\.user/],
  ['an unknown field', { name: 'n', colour: 'red' }, 400, /unknown field "colour"; it takes name, kind, limit/],
  [
    'a limit by another name',
    { name: 'n', limit_usd: 10 },
    400,
    /unknown field "limit_usd" \(did you mean "limit"\?\)/,
  ],
  ['an unknown field within', { name: 'n', external: { usr: 'u' } }, 400, /external: .*"usr" \(did you mean "user"/],
]

test('valid and invalid bodies of POST /keys', async (t) => {
  await using service = await startTestService()
  for (const [what, body, status, says] of bodies) {
    await t.test(what, async () => {
      const response = await service.manage('POST', '/keys', body)
      assert.equal(response.status, status, response.text)
      if (says) assert.match(response.body.error.message, says)
    })
  }
})

test('a patch with a bad value changes nothing', async () => {
  await using service = await startTestService()
  const { data } = await newKey(service)
  for (const bad of [{ name: '' }, { limit: 0 }, { expires_at: past }, { disabled: 'yes' }]) {
    assert.equal((await service.manage('PATCH', `/keys/${data.hash}`, { limit: 1, ...bad })).status, 400)
  }
  assert.deepEqual((await service.manage('GET', `/keys/${data.hash}`)).body.data, data)
})

test('an empty patch changes nothing and leaves no record', async () => {
  await using service = await startTestService()
  const { data } = await newKey(service)
  assert.deepEqual((await service.manage('PATCH', `/keys/${data.hash}`, {})).body.data, data)
  const { body } = await service.manage('GET', `/audit?target_id=${data.hash}`)
  assert.deepEqual(
    body.data.map((event: any) => event.action),
    ['key.created'],
  )
})

test('the last working management key cannot be deleted or disabled', async () => {
  await using service = await startTestService()
  const { hash } = (await service.manage('GET', '/key')).body.data
  const { data: disabled } = await newKey(service, { kind: 'management' })
  await service.manage('PATCH', `/keys/${disabled.hash}`, { disabled: true })
  for (const response of [
    await service.manage('DELETE', `/keys/${hash}`),
    await service.manage('PATCH', `/keys/${hash}`, { disabled: true }),
  ]) {
    assert.equal(response.status, 409)
    assert.match(response.body.error.message, /last valid management key/)
  }
})

test('one management key always remains, and must not expire before the others', async () => {
  await using service = await startTestService()
  const year = new Date().getUTCFullYear()
  const in1 = `${year + 1}-01-01T00:00:00Z`
  const in2 = `${year + 2}-01-01T00:00:00Z`
  const first = `/keys/${(await service.manage('GET', '/key')).body.data.hash}`
  const statusOf = async (path: string, patch?: object) =>
    (await service.manage(patch ? 'PATCH' : 'DELETE', path, patch)).status
  const { status, body } = await service.manage('PATCH', first, { expires_at: in1 })
  assert.deepEqual([status, /last valid management key: .*Create another/.test(body.error.message)], [409, true])
  const brief = `/keys/${(await newKey(service, { kind: 'management', expires_at: in1 })).data.hash}`
  const refused = await service.manage('DELETE', first)
  assert.match(refused.body.error.message, /without an expiry: .* Create another one that does not expire first/)
  assert.equal(await statusOf(first, { disabled: true }), 409)
  const lasting = `/keys/${(await newKey(service, { kind: 'management' })).data.hash}`
  assert.equal(await statusOf(lasting, { expires_at: in2 }), 200)
  assert.equal(await statusOf(lasting, { expires_at: in1 }), 200)
  assert.deepEqual([await statusOf(brief), await statusOf(lasting)], [200, 200])
})

test('every operation on keys needs a management key', async () => {
  await using service = await startTestService()
  const requests: [string, string, object?][] = [
    ['GET', '/keys'],
    ['POST', '/keys', { name: 'n' }],
    ['GET', '/keys/x'],
    ['PATCH', '/keys/x', {}],
    ['DELETE', '/keys/x'],
  ]
  for (const [method, path, body] of requests) {
    assert.equal((await service.ask(method, path, { body })).status, 403, `${method} ${path}`)
    assert.equal((await service.ask(method, path, { body, key: null })).status, 401, `${method} ${path}`)
  }
})

test('every change of a key is recorded with who, before and after, and no secret', async () => {
  await using service = await startTestService()
  const { data, key } = await newKey(service)
  await service.manage('PATCH', `/keys/${data.hash}`, { limit: 3 })
  await service.manage('DELETE', `/keys/${data.hash}`)
  const { body, text } = await service.manage('GET', `/audit?target_id=${data.hash}`)
  const own = (await service.manage('GET', '/key')).body.data
  assert.deepEqual(
    body.data.map((event: any) => [event.action, event.before?.limit, event.after?.limit, event.actor.key_hash]),
    [
      ['key.deleted', 3, undefined, own.hash],
      ['key.updated', null, 3, own.hash],
      ['key.created', undefined, null, own.hash],
    ],
  )
  assert.ok(!text.includes(key.slice(10, 60)))
})

test('the calling key gets its own record', async () => {
  await using service = await startTestService()
  const api = (await service.ask('GET', '/key')).body.data
  const management = (await service.manage('GET', '/key')).body.data
  assert.deepEqual([api.kind, api.is_management_key], ['api', false])
  assert.deepEqual([management.kind, management.is_management_key], ['management', true])
})

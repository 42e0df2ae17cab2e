import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newTestStore, onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

/** The demo model at a price of one cent for a word of its response. */
const priced = {
  models: { 'signalbox/demo': { endpoints: { signalbox: { prices: { prompt: 0, completion: 10_000 } } } } },
}

async function startPriced(kind: 'sqlite' | 'postgres') {
  const testStore = await newTestStore(kind)
  const file = join(testStore.settings.data_dir, '..', `budgets-${process.pid}.json`)
  writeFileSync(file, JSON.stringify(priced))
  const service = await startTestService({ testStore, settings: { catalogue_file: file } })
  return {
    service,
    [Symbol.asyncDispose]: async () => {
      await service.stop()
      await testStore.remove()
    },
  }
}

const say = (service: TestService, words: number, key?: string) =>
  service.ask('POST', '/chat/completions', {
    ...(key && { key }),
    body: { model: 'signalbox/demo', max_tokens: words, messages: [{ role: 'user', content: `demo:words=${words}` }] },
  })

const newKey = async (service: TestService, creator?: string) => {
  const { body } = await service.manage('POST', '/keys', { name: 'k', ...(creator && { creator_user_id: creator }) })
  return { key: body.key as string, hash: body.data.hash as string }
}

const addMember = async (service: TestService, name: string) =>
  (await service.manage('POST', '/organization/members', { email: `${name}@example.com`, name })).body.data.id as string

const defaultGuardrail = async (service: TestService) =>
  (await service.manage('GET', '/workspaces')).body.data[0].default_guardrail_id as string

const layerOf = (response: { body: any }) => response.body.error.metadata.layer

onEachDatabase('budgets', (kind) => {
  test('a guardrail assigned to two members gives each of them its whole limit', async () => {
    await using at = await startPriced(kind)
    const { service } = at
    const [ada, grace] = [await addMember(service, 'ada'), await addMember(service, 'grace')]
    const { data } = (await service.manage('POST', '/guardrails', { name: 'Each', limit_usd: 0.1 })).body
    const path = `/guardrails/${data.id}`
    await service.manage('POST', `${path}/assignments/members`, { member_user_ids: [ada, grace] })
    const [first, second, other] = [
      await newKey(service, ada),
      await newKey(service, ada),
      await newKey(service, grace),
    ]
    assert.equal((await say(service, 6, first.key)).status, 200)
    const refused = await say(service, 5, second.key)
    assert.deepEqual([refused.status, layerOf(refused)], [403, 'member'])
    assert.match(refused.body.error.message, /"Each" for each member, 0\.1 USD, leaves no room .* an admin can raise/)
    assert.equal((await say(service, 10, other.key)).status, 200)
    const read = await until(async () => {
      const { body } = await service.manage('GET', path)
      return body.data.spenders?.length === 2 && body.data.spent_usd === 0.1 && body.data
    })
    assert.deepEqual(
      read.spenders.map(({ kind: who, user_id, name, spent_usd }: any) => [who, user_id, name, spent_usd]),
      [
        ['member', grace, 'grace@example.com', 0.1],
        ['member', ada, 'ada@example.com', 0.06],
      ],
    )
  })

  test('the default of a workspace limits each key, and each member with all their keys', async () => {
    await using at = await startPriced(kind)
    const { service } = at
    const [ada, grace] = [await addMember(service, 'ada'), await addMember(service, 'grace')]
    await service.manage('PATCH', `/guardrails/${await defaultGuardrail(service)}`, { limit_usd: 0.1 })
    const [first, second, other] = [
      await newKey(service, ada),
      await newKey(service, ada),
      await newKey(service, grace),
    ]
    assert.equal((await say(service, 6, first.key)).status, 200)
    assert.equal(layerOf(await say(service, 5, second.key)), 'workspace_default_member')
    assert.equal((await say(service, 4, second.key)).status, 200)
    assert.equal((await say(service, 10, other.key)).status, 200)
    const listed = (await service.ask('GET', '/key', { key: other.key })).body.data.budgets
    assert.deepEqual(
      listed.map(({ layer, limit_usd }: any) => [layer, limit_usd]),
      [
        ['workspace_default_member', 0.1],
        ['workspace_default_key', 0.1],
      ],
    )
  })

  test('a workspace budget counts all its keys together, in addition to other limits', async () => {
    await using at = await startPriced(kind)
    const { service } = at
    const path = '/workspaces/default/budgets/daily'
    assert.equal((await service.manage('GET', path)).status, 404)
    const created = await service.manage('PUT', path, { limit_usd: 0.1 })
    assert.deepEqual(
      [created.status, created.body.data.reset_interval, created.body.include_byok_in_budgets],
      [200, 'daily', false],
    )
    const [first, second] = [await newKey(service, await addMember(service, 'ada')), await newKey(service)]
    assert.equal((await say(service, 6, first.key)).status, 200)
    const refused = await say(service, 5, second.key)
    assert.deepEqual([refused.status, layerOf(refused)], [403, 'workspace'])
    assert.match(refused.body.error.message, /limit of the workspace, 0\.1 USD, .* It resets at .*T00:00:00\.000Z\./)
    await service.manage('PUT', path, { limit_usd: 0.2 })
    assert.equal((await say(service, 5, second.key)).status, 200)
    const budget = await until(async () => {
      const { body } = await service.manage('GET', path)
      return body.data.spent_usd === 0.11 && body.data
    })
    assert.equal(budget.limit_usd, 0.2)
    assert.deepEqual((await service.manage('DELETE', path)).body, { deleted: true })
    assert.equal((await say(service, 50, second.key)).status, 200)
  })

  test('a budget of the organization counts all workspaces together', async () => {
    await using at = await startPriced(kind)
    const { service } = at
    await service.manage('POST', '/workspaces', { name: 'Lab', slug: 'lab' })
    await service.manage('PUT', '/organization/budgets/lifetime', { limit_usd: 0.1 })
    const { body } = await service.manage('POST', '/keys', { name: 'lab', workspace_id: 'lab' })
    assert.equal((await say(service, 6, body.key)).status, 200)
    const refused = await say(service, 5)
    assert.deepEqual([layerOf(refused), refused.body.error.metadata.resets_at], ['organization', null])
  })

  test('a budget of a longer interval must be larger; the refusal names both', async () => {
    await using at = await startPriced(kind)
    const { service } = at
    const put = (interval: string, limit_usd: number) =>
      service.manage('PUT', `/workspaces/default/budgets/${interval}`, { limit_usd })
    assert.equal((await put('monthly', 50)).status, 200)
    const larger = await put('daily', 50)
    assert.equal(larger.status, 400)
    assert.match(larger.body.error.message, /the daily budget, 50 USD, must be smaller than the monthly budget, 50 USD/)
    assert.match((await put('lifetime', 20)).body.error.message, /must be larger than the monthly budget, 50 USD/)
    assert.equal((await put('daily', 5)).status, 200)
    assert.equal((await put('hourly', 5)).status, 400)
    assert.equal((await put('weekly', 0)).status, 400)
    const { body } = await service.manage('GET', '/workspaces/default/budgets')
    assert.deepEqual(
      body.data.map(({ reset_interval, limit_usd }: any) => [reset_interval, limit_usd]),
      [
        ['daily', 5],
        ['monthly', 50],
      ],
    )
  })

  test('the budgets of a workspace are deleted with it', async () => {
    await using at = await startPriced(kind)
    const { service } = at
    const lab = { name: 'Lab', slug: 'lab' }
    await service.manage('POST', '/workspaces', lab)
    await service.manage('PUT', '/workspaces/lab/budgets/daily', { limit_usd: 1 })
    assert.equal((await service.manage('DELETE', '/workspaces/lab')).status, 200)
    await service.manage('POST', '/workspaces', lab)
    assert.deepEqual((await service.manage('GET', '/workspaces/lab/budgets')).body.data, [])
  })

  test('spending on own provider keys is included for budgets of all intervals', async () => {
    await using at = await startPriced(kind)
    const { service } = at
    const put = (interval: string, body: object) =>
      service.manage('PUT', `/workspaces/default/budgets/${interval}`, body)
    await put('daily', { limit_usd: 1 })
    assert.equal(
      (await put('weekly', { limit_usd: 2, include_byok_in_budgets: true })).body.include_byok_in_budgets,
      true,
    )
    const listed = (await service.ask('GET', '/key')).body.data.budgets
    assert.deepEqual(
      listed.map(({ layer, include_byok }: any) => [layer, include_byok]),
      [
        ['workspace', true],
        ['workspace', true],
      ],
    )
    assert.equal((await put('monthly', { limit_usd: 3 })).body.include_byok_in_budgets, true)
  })
})

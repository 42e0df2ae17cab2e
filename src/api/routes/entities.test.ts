import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

type Thing = {
  path: string
  change: (text: string) => object
  read: (body: any) => string
  key?: string
  /** Default: PATCH. */
  method?: 'PUT'
}

const texts = ['first', 'second', 'third', 'fourth', 'fifth']

/** One object of each kind, with a field to change. */
async function things({ manage, ask, apiKey }: TestService): Promise<Record<string, Thing>> {
  const created = async (path: string, body: object) => (await manage('POST', path, body)).body.data
  const named = (path: string): Thing => ({ path, change: (name) => ({ name }), read: ({ data }) => data.name })
  const described = (path: string): Thing => ({
    path,
    change: (description) => ({ description }),
    read: ({ data }) => data.description,
  })
  const budget = (path: string): Thing => ({
    path,
    method: 'PUT',
    change: (text) => ({ limit_usd: texts.indexOf(text) + 1 }),
    read: ({ data }) => texts[data.limit_usd - 1]!,
  })
  const thresholds = (path: string): Thing => ({
    path,
    method: 'PUT',
    change: (text) => ({ thresholds: [texts.indexOf(text) + 1] }),
    read: ({ data }) => texts[data.thresholds[0] - 1]!,
  })
  await manage('PUT', '/workspaces/default/budgets/daily', { limit_usd: 100 })
  await manage('PUT', '/organization/budgets/daily', { limit_usd: 100 })
  const limited = (await created('/keys', { name: 'limited', limit: 5 })).hash
  const limiting = (await created('/guardrails', { name: 'Limiting', limit_usd: 5 })).id
  const intern = (await ask('POST', '/interns', { body: { name: 'ada' } })).body
  await manage('POST', '/presets/haiku/responses', { model: 'signalbox/demo' })
  return {
    guardrail: named(`/guardrails/${(await created('/guardrails', { name: 'House' })).id}`),
    key: named(`/keys/${(await created('/keys', { name: 'k' })).hash}`),
    workspace: named(`/workspaces/${(await created('/workspaces', { name: 'W', slug: 'w' })).id}`),
    webhook: described(`/webhooks/${(await created('/webhooks', { url: 'https://hooks.example.com/x' })).id}`),
    credential: named(`/byok/${(await created('/byok', { provider: 'openai', key: 'sk-1', name: 'team' })).id}`),
    preset: described('/presets/haiku'),
    budget: budget('/workspaces/default/budgets/daily'),
    'budget of the organization': budget('/organization/budgets/daily'),
    'thresholds of a key': thresholds(`/keys/${limited}/thresholds`),
    'thresholds of a guardrail': thresholds(`/guardrails/${limiting}/thresholds`),
    intern: {
      path: `/interns/${intern.id}`,
      change: (description) => ({ description }),
      read: ({ description }) => description,
      key: apiKey,
    },
  }
}

const neverDeleted = /preset|thresholds/

onEachDatabase('if-match', (kind) => {
  test('a change or deletion based on an outdated version is refused', async () => {
    await using service = await startTestService({ kind })
    for (const [name, thing] of Object.entries(await things(service))) {
      const { path, change, read, key = service.managementKey, method = 'PATCH' } = thing
      const send = (method: string, body?: object, ifMatch?: string) =>
        service.ask(method, path, { key, body, ...(ifMatch && { headers: { 'if-match': ifMatch } }) })
      const before = (await send('GET')).headers.get('etag')!
      assert.match(before, /^"[\w-]{22}"$/, name)
      const changed = await send(method, change('first'), before)
      assert.deepEqual([changed.status, changed.headers.get('etag') !== before], [200, true], changed.text)
      const late = await send(method, change('second'), before)
      assert.deepEqual([late.status, late.body.error.metadata.reason], [412, 'changed_meanwhile'], name)
      assert.match(late.body.error.message, /^The [a-z]+ has changed since you read it\./)
      if (!neverDeleted.test(name)) assert.equal((await send('DELETE', undefined, before)).status, 412, name)
      const after = await send('GET')
      assert.deepEqual([read(after.body), after.headers.get('etag')], ['first', changed.headers.get('etag')], name)
      assert.equal((await send(method, change('third'))).status, 200, name)
      assert.equal(
        (await send(method, change('fourth'), `"other", ${(await send('GET')).headers.get('etag')}`)).status,
        200,
      )
      assert.equal((await send(method, change('fifth'), '*')).status, 200)
    }
  })

  test('of two concurrent changes with the same entity tag exactly one succeeds', async () => {
    await using service = await startTestService({ kind })
    const { guardrail, key } = await things(service)
    for (const { path, change } of [guardrail!, key!]) {
      const etag = (await service.manage('GET', path)).headers.get('etag')!
      const send = (text: string) =>
        service.ask('PATCH', path, { key: service.managementKey, body: change(text), headers: { 'if-match': etag } })
      const statuses = await Promise.all(['a', 'b', 'c'].map(async (text) => (await send(text)).status))
      assert.deepEqual(statuses.sort(), [200, 412, 412])
    }
  })

  test('of two budgets created at once with "if-none-match" exactly one is stored', async () => {
    await using service = await startTestService({ kind })
    for (const path of ['/workspaces/default/budgets/daily', '/organization/budgets/daily']) {
      const create = (limit_usd: number) =>
        service.ask('PUT', path, {
          key: service.managementKey,
          body: { limit_usd },
          headers: { 'if-none-match': '*' },
        })
      const responses = await Promise.all([1, 2, 3].map(create))
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412, 412])
      const refused = responses.find(({ status }) => status === 412)!
      assert.match(refused.body.error.message, /^The budget exists already\. Read it again/)
      const stored = responses.find(({ status }) => status === 200)!
      assert.equal((await service.manage('GET', path)).body.data.limit_usd, stored.body.data.limit_usd)
    }
  })

  test('a version of a preset is not saved or used if another one was saved meanwhile', async () => {
    await using service = await startTestService({ kind })
    await service.manage('POST', '/presets/haiku/responses', { model: 'signalbox/demo' })
    const stale = (await service.manage('GET', '/presets/haiku')).headers.get('etag')!
    const body = { responses: { model: 'signalbox/demo', temperature: 1 } }
    await service.manage('POST', '/presets/haiku/versions', body)
    for (const path of ['versions', 'versions/2/designate']) {
      const options = {
        key: service.managementKey,
        headers: { 'if-match': stale },
        ...(path === 'versions' && { body }),
      }
      assert.equal((await service.ask('POST', `/presets/haiku/${path}`, options)).status, 412, path)
    }
    const { body: after } = await service.manage('GET', '/presets/haiku/versions')
    assert.equal(after.total_count, 2)
  })
})

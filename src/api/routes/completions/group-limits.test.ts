import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newTestStore, onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'

/** The demo model with a price: one cent for each word of its response. */
const priced = {
  models: { 'signalbox/demo': { endpoints: { signalbox: { prices: { prompt: 0, completion: 10_000 } } } } },
}

type Groups = { session_id?: string; metadata?: Record<string, string | string[]> }

const say = (service: TestService, words: number, groups: Groups, key?: string) =>
  service.ask('POST', '/chat/completions', {
    ...(key && { key }),
    body: {
      model: 'signalbox/demo',
      max_tokens: words,
      messages: [{ role: 'user', content: `demo:words=${words}` }],
      ...groups,
    },
  })

onEachDatabase('limits of sessions and tags', (kind) => {
  /** A service whose default guardrail has these limits. */
  async function limited(limits: object[], now: () => number = Date.now) {
    const testStore = await newTestStore(kind)
    const file = join(testStore.settings.data_dir, '..', `groups-${process.pid}.json`)
    writeFileSync(file, JSON.stringify(priced))
    const service = await startTestService({ testStore, now, settings: { catalogue_file: file } })
    const id = (await service.manage('GET', '/workspaces')).body.data[0].default_guardrail_id
    const path = `/guardrails/${id}`
    const set = (group_limits: object[] | null) => service.manage('PATCH', path, { group_limits })
    assert.equal((await set(limits)).status, 200)
    return {
      service,
      id,
      path,
      set,
      async [Symbol.asyncDispose]() {
        await service.stop()
        await testStore.remove()
      },
    }
  }
  const statusOf = async (response: ReturnType<typeof say>) => (await response).status

  test('each session has a limit over all keys; requests without a session have none', async () => {
    await using at = await limited([{ by: 'session', limit_usd: 0.1 }])
    const { service } = at
    const { key } = (await service.manage('POST', '/keys', { name: 'second' })).body
    assert.equal(await statusOf(say(service, 6, { session_id: 'a' })), 200)
    const refused = await say(service, 6, { session_id: 'a' }, key)
    assert.equal(refused.status, 403)
    assert.match(
      refused.body.error.message,
      /^The spending limit of the guardrail ".+" for the session "a", 0\.1 USD, leaves no room .*It does not reset\. .*an admin can raise the limit\.$/,
    )
    const { guardrail_id, rule, layer, session_id } = refused.body.error.metadata
    assert.deepEqual([guardrail_id, rule, layer, session_id], [at.id, 'group_limits', 'session', 'a'])
    assert.equal(await statusOf(say(service, 4, { session_id: 'a' }, key)), 200)
    assert.equal(await statusOf(say(service, 10, { session_id: 'b' })), 200)
    assert.equal(await statusOf(say(service, 100, {})), 200)
  })

  test('each value of a tag has its own limit; concurrent requests do not exceed it', async () => {
    await using at = await limited([{ by: 'tag', tag_name: 'customer', limit_usd: 0.5, reset_interval: 'daily' }])
    const { service } = at
    const ask = (customer: string) => say(service, 10, { metadata: { customer } })
    const responses = await Promise.all(Array.from({ length: 12 }, () => ask('acme')))
    assert.equal(responses.filter(({ status }) => status === 200).length, 5)
    const refused = responses.find(({ status }) => status === 403)!.body.error
    assert.match(refused.message, /for the tag customer "acme", 0\.5 USD, .*It resets at \S+T00:00:00\.000Z\./)
    assert.deepEqual([refused.metadata.tag_name, refused.metadata.tag_value], ['customer', 'acme'])
    assert.equal(await statusOf(ask('other')), 200)
    assert.equal(await statusOf(say(service, 10, { metadata: { team: 'acme' } })), 200)
  })

  test('a request with several values of `tags` counts for each of them', async () => {
    await using at = await limited([{ by: 'tag', tag_name: 'tags', limit_usd: 0.1 }])
    const ask = (tags: string[]) => say(at.service, 6, { metadata: { tags } })
    assert.equal(await statusOf(ask(['x', 'y'])), 200)
    assert.equal(await statusOf(ask(['y', 'z'])), 403)
    assert.equal(await statusOf(ask(['z'])), 200)
  })

  test('a limit that is set later counts the requests of the ledger', async () => {
    await using at = await limited([{ by: 'session', limit_usd: 1 }])
    const groups = { session_id: 's', metadata: { customer: 'acme' } }
    assert.equal(await statusOf(say(at.service, 8, groups)), 200)
    await at.set([{ by: 'tag', tag_name: 'customer', limit_usd: 0.1 }])
    assert.equal(await statusOf(say(at.service, 4, groups)), 403)
    assert.equal(await statusOf(say(at.service, 2, groups)), 200)
  })

  test('a limit of a guardrail for one key counts the requests of that key', async () => {
    await using at = await limited([{ by: 'session', limit_usd: 10 }])
    const { service } = at
    const { key, data } = (await service.manage('POST', '/keys', { name: 'second' })).body
    const ask = (words: number, own?: string) => statusOf(say(service, words, { session_id: 's' }, own))
    assert.deepEqual([await ask(8, key), await ask(50)], [200, 200])
    const strict = { name: 'Strict', group_limits: [{ by: 'session', limit_usd: 0.1 }] }
    const { id } = (await service.manage('POST', '/guardrails', strict)).body.data
    await service.manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [data.hash] })
    assert.deepEqual([await ask(4, key), await ask(2, key), await ask(50)], [403, 200, 200])
  })

  // Postgres has its own clock.
  test('a limit with an interval resets', { skip: kind === 'postgres' }, async () => {
    let now = Date.UTC(2026, 10, 20, 12)
    await using at = await limited([{ by: 'session', limit_usd: 0.1, reset_interval: 'daily' }], () => now)
    const ask = () => statusOf(say(at.service, 8, { session_id: 's' }))
    assert.deepEqual([await ask(), await ask()], [200, 403])
    now += 86_400_000
    assert.equal(await ask(), 200)
  })

  test('the guardrail and its keys list the sessions and tag values by spending', async () => {
    await using at = await limited([
      { by: 'session', limit_usd: 1 },
      { by: 'tag', tag_name: 'customer', limit_usd: 0.5, reset_interval: 'monthly' },
    ])
    const { service } = at
    const budgets = async (key?: string) =>
      (await service.ask('GET', '/key', { ...(key && { key }) })).body.data.budgets.map((budget: any) => [
        budget.layer,
        budget.tag_name,
        budget.group_value,
        budget.limit_usd,
        Number(budget.spent_usd.toFixed(6)),
      ])
    assert.deepEqual(await budgets(), [
      ['session', null, null, 1, 0],
      ['tag', 'customer', null, 0.5, 0],
    ])
    await say(service, 5, { session_id: 'small' })
    await say(service, 9, { session_id: 'large', metadata: { customer: 'acme' } })
    const { key } = (await service.manage('POST', '/keys', { name: 'second' })).body
    await say(service, 7, { session_id: 'of another key' }, key)
    const groups = async () =>
      (await service.manage('GET', at.path)).body.data.group_spending.map(({ by, value, spent_usd }: any) =>
        [by, value, spent_usd.toFixed(2)].join(' '),
      )
    const spent = ['session large 0.09', 'session of another key 0.07', 'session small 0.05', 'tag acme 0.09']
    await until(async () => (await groups()).join() === spent.join())
    assert.deepEqual(await budgets(), [
      ['session', null, 'large', 1, 0.09],
      ['session', null, 'small', 1, 0.05],
      ['tag', 'customer', 'acme', 0.5, 0.09],
    ])
    assert.deepEqual((await budgets(key))[0], ['session', null, 'of another key', 1, 0.07])
  })

  test('a missing, repeated or excess tag name of a limit is refused with its path', async () => {
    await using at = await limited([{ by: 'session', limit_usd: 1 }])
    const message = async (limits: object[]) => (await at.set(limits)).body.error.message
    assert.match(await message([{ by: 'tag', limit_usd: 1 }]), /group_limits\[0\]\.tag_name: is required with by "tag"/)
    const session = { by: 'session', limit_usd: 1 }
    assert.match(await message([{ ...session, tag_name: 'x' }]), /tag_name: is required with by "tag", and only there/)
    assert.match(await message([session, { ...session, limit_usd: 2 }]), /group_limits\[1\]: repeats item 0/)
    assert.match(await message([{ ...session, limit_usd: 0 }]), /group_limits\[0\]\.limit_usd/)
    const many = Array.from({ length: 9 }, (_, n) => ({ by: 'tag', tag_name: `t${n}`, limit_usd: 1 }))
    assert.match(await message(many), /group_limits: must have at most 8 items/)
    assert.match(await message([]), /group_limits: must have at least 1 item; null removes the list/)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint, Model } from '#catalogue/index/model.ts'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { Settings } from '#platform/config/settings.ts'
import { newUuid } from '#platform/core/id.ts'
import { parsePicoUsd } from '#platform/core/pico-usd.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { generation } from '#test/harness/records/generations.ts'
import type { GuardrailPatch } from '../guardrails/guardrail-patch.ts'
import { replay } from './replay.ts'

const hour = 3_600_000
const noon = Date.UTC(2026, 10, 18, 12)
const endpoint = { id: 'a/b@p', provider: 'p', prices: { prompt: '1', completion: '1' } } as Endpoint
const model = { id: 'a/b', canonicalSlug: 'a/b', author: 'a', endpoints: [endpoint] } as Model
const findModel = (name: string) => (name === 'a/b' ? model : undefined)

async function newStore(kind: 'sqlite' | 'postgres') {
  const store = await newDb(kind)
  const catalogue = { current: () => ({ findModel, findProvider: () => undefined }) as never }
  const deps = { db: store.db, now: () => noon, newId: newUuid, config: Settings.parse({}), catalogue }
  await bootstrap(deps)
  const { id, organization_id, default_guardrail_id } = await store.db.query
    .selectFrom('workspaces')
    .selectAll()
    .executeTakeFirstOrThrow()
  const caller: Caller = { ...generation().caller, workspaceId: id, organizationId: organization_id }
  const never = new AbortController().signal
  return {
    meter: (...some: Partial<Generation>[]) =>
      writeGenerations(
        store,
        some.map((more) => generation({ caller, ...more })),
      ),
    replay: (policy: GuardrailPatch, signal = never, list = 2) =>
      replay(deps, caller, default_guardrail_id, { from: new Date(noon - hour).toISOString(), policy, list }, signal),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
const spent = (usd: string, hoursAgo: number, more: Partial<Generation> = {}) => ({
  createdAt: noon - hoursAgo * hour,
  cost: parsePicoUsd(usd),
  ...more,
})

onEachDatabase('a replay', (kind) => {
  test('counts earlier spending of the period, of the same day too', async () => {
    await using at = await newStore(kind)
    await at.meter(spent('0.4', 48), spent('0.3', 3), spent('0.2', 0.9), spent('0.2', 0.5), spent('0.05', 0.1))
    const monthly = await at.replay({ limit_usd: 1, reset_interval: 'monthly' })
    assert.deepEqual([monthly.requests, monthly.would_refuse, monthly.by_rule[0]?.usd], [3, 1, 0.2])
    assert.equal((await at.replay({ limit_usd: 1, reset_interval: 'daily' })).would_refuse, 0)
    assert.equal((await at.replay({ limit_usd: 0.6, reset_interval: 'daily' })).would_refuse, 1)
  })

  test('counts unconfirmed charges as limits do, on the day of its start too', async () => {
    await using at = await newStore(kind)
    const unconfirmed = { margin: parsePicoUsd('0.4') }
    await at.meter(spent('0.1', 3, unconfirmed), spent('0.1', 0.9, unconfirmed), spent('0.1', 0.5))
    const { would_refuse, usd } = await at.replay({ limit_usd: 1, reset_interval: 'daily' })
    assert.deepEqual([would_refuse, usd], [1, 0.2])
  })

  test('of a limit that never resets counts from the day of the guardrail', async () => {
    await using at = await newStore(kind)
    await at.meter(spent('5', 48), spent('0.3', 3), spent('0.2', 0.5))
    assert.equal((await at.replay({ limit_usd: 0.5 })).would_refuse, 0)
    assert.equal((await at.replay({ limit_usd: 0.4 })).would_refuse, 1)
  })

  test('applies the limits of sessions and tags to each session and value', async () => {
    await using at = await newStore(kind)
    const of = (sessionId: string, customer: string) => ({ sessionId, tags: [['customer', customer]] as const })
    await at.meter(
      spent('5', 3, of('s', 'acme')),
      spent('0.3', 0.9, of('s', 'acme')),
      spent('0.3', 0.8, of('s', 'acme')),
      spent('0.3', 0.7, of('t', 'acme')),
      spent('0.3', 0.6),
    )
    const refused = async (limit: object) =>
      (await at.replay({ group_limits: [{ limit_usd: 0.5, ...limit }] } as GuardrailPatch)).would_refuse
    assert.equal(await refused({ by: 'session' }), 1)
    assert.equal(await refused({ by: 'tag', tag_name: 'customer' }), 2)
    assert.equal(await refused({ by: 'tag', tag_name: 'team' }), 0)
    const { by_rule, notes } = await at.replay({ group_limits: [{ by: 'session', limit_usd: 0.5 }] })
    assert.deepEqual([by_rule[0]?.rule, by_rule[0]?.requests], ['group_limits', 1])
    assert.match(notes.join(), /start at zero at the beginning of the period/)
  })

  test('does not spend amounts that another rule refuses', async () => {
    await using at = await newStore(kind)
    await at.meter(spent('0.9', 0.9, { region: 'us' }), spent('0.9', 0.5))
    const response = await at.replay({ limit_usd: 1, allowed_data_regions: ['global'] })
    assert.deepEqual(
      response.by_rule.map(({ rule, requests }) => [rule, requests]),
      [['allowed_data_regions', 1]],
    )
  })

  test('skips deleted models, and counts redactions from recorded findings', async () => {
    await using at = await newStore(kind)
    const finding = { guardrailId: 'g', rule: 'content_filter_builtins.email', action: 'flag' as const, count: 1 }
    await at.meter(
      spent('0', 0.9, { candidateModels: ['gone/model'], modelId: 'gone/model' }),
      spent('0', 0.8, { contentFindings: [finding] }),
    )
    const response = await at.replay({ content_filter_builtins: [{ slug: 'email', action: 'redact' }] })
    assert.deepEqual([response.would_redact, response.by_rule[0]?.rule], [1, 'content_filter_builtins.email'])
    assert.deepEqual(
      response.undecidable.map(({ rule, requests }) => [rule, requests]),
      [
        ['catalogue', 1],
        ['content_filter_builtins', 1],
      ],
    )
  })

  test('lists the newest affected requests once each, and counts all of them', async () => {
    await using at = await newStore(kind)
    const finding = { guardrailId: 'g', rule: 'content_filter_builtins.email', action: 'flag' as const, count: 1 }
    const hours = [0.9, 0.8, 0.7, 0.6, 0.5]
    await at.meter(...hours.map((ago, i) => spent('0.25', ago, { id: `gen-${i}`, contentFindings: [finding] })))
    await at.meter(spent('0.25', 0.4, { id: 'gen-untouched' }))
    const response = await at.replay({ limit_usd: 1, content_filter_builtins: [{ slug: 'email', action: 'redact' }] })
    assert.equal(response.touched, 6)
    assert.deepEqual(
      response.touched_requests.map(({ id, usd, effects }) => [id, usd, effects.map(({ outcome }) => outcome)]),
      [
        ['gen-untouched', 0.25, ['refuse']],
        ['gen-4', 0.25, ['refuse']],
      ],
    )
    const early = await at.replay({ content_filter_builtins: [{ slug: 'email', action: 'redact' }] }, undefined, 9)
    assert.deepEqual(
      early.touched_requests.map(({ id, created_at, effects }) => [id, Date.parse(created_at), effects[0]?.outcome]),
      hours.map((ago, i) => [`gen-${i}`, noon - ago * hour, 'redact']).toReversed(),
    )
    assert.deepEqual((await at.replay({ limit_usd: 1 }, undefined, 0)).touched_requests, [])
  })

  test('ends when the client has left', async () => {
    await using at = await newStore(kind)
    await at.meter(spent('0', 0.5))
    await assert.rejects(at.replay({}, AbortSignal.abort()), { kind: 'client_closed_request' })
  })
})

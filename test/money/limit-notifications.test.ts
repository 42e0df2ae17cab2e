import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#platform/db/db.ts'
import { openDb } from '#platform/db/open.ts'
import { dayOf } from '#spend/ledger/days.ts'
import { type DatabaseKind, onEachDatabase } from '../harness/database/databases.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'

/** Noon on a Sunday: half of the day is over, 6½ days of the week, 21½ of 30 of the month. */
const noon = Date.UTC(2026, 10, 22, 12)
const today = dayOf(noon)
const usd = 1_000_000_000_000n

/** By the clock of the database. It is not heard again, and to be alive however long the test takes: from an hour ahead. */
const justNow = (kind: DatabaseKind) => (kind === 'sqlite' ? noon : Date.now() + 3_600_000)

const inDatabase = async ({ testStore }: TestService, work: (db: Db) => Promise<unknown>) => {
  const db = await openDb(testStore.settings)
  await work(db)
  await db.close()
}
const spent = (key_hash: string, organization_id: string) => ({
  ...{ organization_id, key_hash, day: today, workspace_id: 'w', user_id: 'u', model: 'm', endpoint: 'e', byok: 0 },
  ...{ requests: 1, prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: 0, cost_pico: 3n * usd },
})
const lease = (budget: string, server: string, more: object = {}) => ({
  ...{ budget, server, period: today, held_pico: usd / 4n, spent_pico: 0n, renewed_at: Date.now(), ...more },
})

onEachDatabase('the notification of a limit', (kind) => {
  test('of a key has the spent, held and projected amounts, and the next reset', async () => {
    await using service = await startTestService({ kind, now: () => noon })
    const make = async (body: object) => (await service.manage('POST', '/keys', { name: 'ci', ...body })).body.data.hash
    const hash = await make({ limit: 8, limit_reset: 'daily' })
    const [free, forever] = [await make({}), await make({ limit: 8 })]
    const organization = (await service.manage('GET', '/organization')).body.data.id
    const renewed_at = justNow(kind)
    await inDatabase(service, async ({ query }) => {
      await query.insertInto('usage_days').values(spent(hash, organization)).execute()
      const id = `key:${hash}`
      const held = [lease(id, 'a daily', { renewed_at }), lease(id, 'b daily', { renewed_at })]
      const others = [
        lease(id, 'dead daily', { renewed_at: 0 }),
        lease(id, 'before daily', { period: today - 1, renewed_at }),
      ]
      await query
        .insertInto('budget_leases')
        .values([...held, ...others])
        .execute()
    })
    const notificationsOf = async (of: string) => {
      const { data } = (await service.manage('GET', `/keys/${of}`)).body
      return [data.limit_remaining, data.limit_spent, data.limit_held, data.limit_forecast, data.limit_resets_at]
    }
    // The limit counts what the dead server had reserved.
    assert.deepEqual(await notificationsOf(hash), [4.75, 3, 0.5, 6, '2026-11-23T00:00:00.000Z'])
    const { data: ofDeadServer } = (await service.manage('GET', `/keys/${hash}`)).body
    assert.equal(ofDeadServer.limit_unconfirmed, 0.25)
    assert.deepEqual(await notificationsOf(free), [null, null, null, null, null])
    assert.deepEqual(await notificationsOf(forever), [8, 0, 0, null, null])
    const { data } = (await service.manage('GET', '/keys')).body
    assert.equal(data.find((key: any) => key.hash === hash).limit_forecast, 6)
  })

  test('of the calling key in the same words', async () => {
    await using service = await startTestService({ kind, now: () => noon })
    const { key } = (await service.manage('POST', '/keys', { name: 'ci', limit: 8, limit_reset: 'weekly' })).body
    const { data } = (await service.ask('GET', '/key', { key })).body
    assert.deepEqual([data.limit_spent, data.limit_held, data.limit_resets_at], [0, 0, '2026-11-23T00:00:00.000Z'])
  })

  test('of a guardrail: with the amounts of the member or key that spent the most', async () => {
    await using service = await startTestService({ kind, now: () => noon })
    const policy = { name: 'team', limit_usd: 20, reset_interval: 'daily' }
    const { id, workspace_id } = (await service.manage('POST', '/guardrails', policy)).body.data
    const { hash } = (await service.manage('POST', '/keys', { name: 'ci' })).body.data
    await service.manage('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [hash] })
    const renewed_at = justNow(kind)
    await inDatabase(service, async ({ query }) => {
      await query
        .insertInto('usage_days')
        .values({ ...spent(hash, 'o'), workspace_id })
        .execute()
      const period = { budget: `guardrail:${id}:key:${hash}`, period: today, spent_pico: 2n * usd }
      await query.insertInto('budget_periods').values(period).execute()
      await query
        .insertInto('budget_leases')
        .values([
          lease(period.budget, 'a daily', { renewed_at }),
          lease(period.budget, 'dead daily', { renewed_at: 0 }),
        ])
        .execute()
    })
    const { data } = (await service.manage('GET', `/guardrails/${id}`)).body
    assert.deepEqual(
      [data.spent_usd, data.unconfirmed_usd, data.held_usd, data.forecast_usd, data.resets_at],
      [2.25, 0, 0.25, 4, '2026-11-23T00:00:00.000Z'],
    )
    const spender = {
      kind: 'key',
      key_hash: hash,
      name: 'ci',
      spent_usd: 2.25,
      unconfirmed_usd: 0,
      held_usd: 0.25,
      forecast_usd: 4,
    }
    assert.deepEqual(data.spenders, [spender])
  })
})

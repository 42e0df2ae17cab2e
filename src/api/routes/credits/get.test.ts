import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { dayOf } from '#spend/ledger/days.ts'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService } from '#test/harness/service/service.ts'

const tenth = 100_000_000_000n

onEachDatabase('GET /credits', (kind) => {
  test('sums are exact: tenths do not become 0.30000000000000004', async () => {
    await using service = await startTestService({ kind })
    const organization_id = (await service.manage('GET', '/organization')).body.data.id
    const { data, key } = (await service.manage('POST', '/keys', { name: 'limited', limit: 0.8 })).body
    const today = dayOf(Date.now())
    const counts = { requests: 1, prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: 0, margin_pico: 0n }
    const day = { organization_id, workspace_id: 'w', model: 'm', endpoint: 'e', byok: 0, ...counts }
    const db = await openDb(service.testStore.settings)
    await db.query
      .insertInto('workspace_days')
      .values([
        { ...day, day: today - 1, cost_pico: tenth },
        { ...day, day: today, cost_pico: 2n * tenth },
      ])
      .execute()
    await db.query
      .insertInto('usage_days')
      .values({ ...day, day: today, key_hash: data.hash, user_id: 'u', cost_pico: 7n * tenth })
      .execute()
    await db.close()
    const creditsOf = async (requested: string) => (await service.ask('GET', '/credits', { key: requested })).body.data
    assert.deepEqual(await creditsOf(service.managementKey), { total_credits: 1_000_000_000.3, total_usage: 0.3 })
    assert.deepEqual(await creditsOf(key), { total_credits: 0.8, total_usage: 0.7 })
  })

  test('the remaining amount is that of GET /key, also after the crash of a server', async () => {
    await using service = await startTestService({ kind })
    const { data, key } = (await service.manage('POST', '/keys', { name: 'limited', limit: 0.8 })).body
    const db = await openDb(service.testStore.settings)
    const lease = { budget: `key:${data.hash}`, server: 'dead never', period: 0, spent_pico: 0n, renewed_at: 0 }
    await db.query
      .insertInto('budget_leases')
      .values({ ...lease, held_pico: tenth })
      .execute()
    await db.close()
    const { limit_remaining } = (await service.ask('GET', '/key', { key })).body.data
    const { total_credits, total_usage } = (await service.ask('GET', '/credits', { key })).body.data
    assert.deepEqual([limit_remaining, total_credits, total_usage], [0.7, 0.7, 0])
  })
})

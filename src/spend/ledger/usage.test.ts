import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { noSpill } from '#test/harness/money/no-spill.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import { readKeyUsage } from '../budgets/key-usage.ts'
import { openLedger } from '../metering/ledger.ts'
import { writeGenerations } from '../metering/write.ts'
import { dayOf, periodEnd, periodStart } from './days.ts'
import { addFeedback, readFeedback } from './feedback.ts'
import { pruneGenerations } from './prune.ts'
import { findGeneration } from './read-generations.ts'
import { listActivity } from './spending/activity.ts'
import { chargedOf, readSpendingOf } from './spending/spending.ts'

const wholeTime = { organizationId: 'organization', fromDay: 0, toDay: 99_999, by: new Set(['model'] as const) }

onEachDatabase('the ledger', (kind) => {
  test('sums of a day are exact, however small their parts', async () => {
    await using store = await newDb(kind)
    for (let i = 0; i < 3; i++) await writeGenerations(store, [generation(), generation()])
    const [day, ...others] = await listActivity(store, wholeTime)
    assert.deepEqual(others, [])
    assert.deepEqual([day?.requests, day?.promptTokens, day?.costUsd, day?.date], [6, 60, 0.600000000006, '2026-11-18'])
  })

  test('sums beyond an exact double stay exact', async () => {
    await using store = await newDb(kind)
    await writeGenerations(store, [
      generation({ cost: 9_007_199_254_740_993n }),
      generation({ cost: 9_007_199_254_740_993n }),
    ])
    const [row] = await store.db.query
      .selectFrom('usage_days')
      .select((e) => e.cast<string>('cost_pico', 'text').as('cost'))
      .execute()
    assert.equal(row?.cost, '18014398509481986')
  })

  test('sums beyond the range of a column are returned correctly', async () => {
    await using store = await newDb(kind)
    const most = 2n ** 63n - 1n
    const costly = (more = {}) => generation({ cost: most, tokens: { ...generation().tokens, prompt: 1e9 }, ...more })
    await writeGenerations(store, [costly(), costly({ cost: 10n ** 24n }), costly({ endpointId: 'other' })])
    await writeGenerations(store, [costly()])
    const usd = Number(most) / 1e12
    const responses = (await listActivity(store, wholeTime)).map(({ costUsd, promptTokens }) => [costUsd, promptTokens])
    assert.deepEqual(responses, [
      [usd, 3e9],
      [usd, 1e9],
    ])
    const key = { hash: 'hash', limit: null, limit_reset: null, include_byok_in_limit: true }
    const figures = (await readKeyUsage({ ...store, now: () => at }, [key]))(key)
    assert.equal(figures.usage, 2 * usd)
  })

  test('usage and remaining limit of a key add up before servers report a request', async () => {
    await using store = await newDb(kind)
    const key = { hash: 'hash', limit: 10, limit_reset: null, include_byok_in_limit: true }
    await writeGenerations(store, [generation({ cost: 2_000_000_000_000n }), generation({ cost: 1_000_000_000_000n })])
    const account = { budget: 'key:hash', period: 0, spent_pico: 2_000_000_000_000n }
    await store.db.query.insertInto('budget_periods').values(account).execute()
    const figures = (await readKeyUsage({ ...store, now: () => at }, [key]))(key)
    assert.deepEqual([figures.usage, figures.limit_spent, figures.limit_remaining], [3, 3, 7])
  })

  test('sums stored before validation are returned', {
    skip: kind === 'postgres' && 'its columns never took such numbers',
  }, async () => {
    await using store = await newDb(kind)
    await writeGenerations(store, [generation(), generation({ endpointId: 'other' })])
    for (const table of ['usage_days', 'workspace_days'] as const) {
      await store.db.query
        .updateTable(table)
        .set({ cost_pico: 1e300 as never, prompt_tokens: 1.5 })
        .execute()
    }
    const [day] = await listActivity(store, wholeTime)
    assert.deepEqual([day?.costUsd, day?.promptTokens], [Number(2n ** 63n - 1n) / 1e12, 1])
    assert.ok((await readSpendingOf(store, { workspaceId: 'workspace' }, 0)).operator > 2n ** 63n)
  })

  test('rows that were written already are not written again', async () => {
    await using store = await newDb(kind)
    const [first, second] = [generation(), generation()]
    await writeGenerations(store, [first])
    await writeGenerations(store, [first, second])
    assert.equal((await listActivity(store, wholeTime))[0]?.requests, 2)
  })

  test('a request without a response is stored, and adds nothing', async () => {
    await using store = await newDb(kind)
    const failed = generation({ endpointId: undefined, modelId: undefined, outcome: 'failed', cost: 0n })
    await writeGenerations(store, [failed])
    assert.equal((await findGeneration(store, caller, failed.id)).outcome, 'failed')
    assert.deepEqual(await listActivity(store, wholeTime), [])
  })

  test('a generation is found by both ids, in its own workspace only', async () => {
    await using store = await newDb(kind)
    const one = generation({ upstreamId: 'chatcmpl-x' })
    await writeGenerations(store, [one])
    assert.equal((await findGeneration(store, caller, 'chatcmpl-x')).id, one.id)
    await assert.rejects(findGeneration(store, { ...caller, workspaceId: 'other' }, one.id), { kind: 'not_found' })
    await assert.rejects(findGeneration(store, { ...caller, keyKind: 'management', organizationId: 'x' }, one.id), {
      kind: 'not_found',
    })
  })

  test('a stop loses nothing, and a database that fails for a while costs only time', async () => {
    await using store = await newDb(kind)
    let broken = true
    const flaky = {
      ...store.db,
      get query() {
        if (broken) throw new Error('gone')
        return store.db.query
      },
    }
    const errors: Error[] = []
    const onError = (error: Error) => errors.push(error)
    const ledger = openLedger(
      { db: flaky, spill: noSpill, onError, onRejected: onError, onLost: () => assert.fail() },
      { everyMs: 5 },
    )
    for (let i = 0; i < 50; i++) ledger.record(generation())
    await ledger.flush().catch(() => {})
    assert.equal(ledger.waitingCount, 50)
    broken = false
    await ledger.close()
    assert.equal((await listActivity(store, wholeTime))[0]?.requests, 50)
  })

  test('a request that the database refuses is reported by id, the others are written', async () => {
    await using store = await newDb(kind)
    const refused: Error[] = []
    const onRejected = (error: Error) => refused.push(error)
    const ledger = openLedger(
      { ...store, spill: noSpill, onError: assert.ifError, onRejected, onLost: () => assert.fail() },
      { everyMs: 5 },
    )
    const bad = [3, 4, 17].map((at) => [at, generation({ createdAt: Number.NaN, sessionId: 'secret' })] as const)
    const all = Array.from({ length: 20 }, () => generation())
    for (const [at, one] of bad) all[at] = one
    all.forEach(ledger.record)
    await ledger.close()
    assert.deepEqual(
      refused.map(({ message }) => /gen-\d+/.exec(message)?.[0]),
      bad.map(([, { id }]) => id),
    )
    assert.doesNotMatch(refused.join(), /secret/)
    assert.equal((await listActivity(store, wholeTime))[0]?.requests, 17)
  })

  test('text with U+0000 or half a character is stored without them', async () => {
    await using store = await newDb(kind)
    const one = generation({ sessionId: 'a\0b\ud800', requestedModel: 'x\0', modelId: undefined, nativeFinish: '\0' })
    await writeGenerations(store, [one])
    const { session_id, model, requested_model } = await findGeneration(store, caller, one.id)
    assert.deepEqual([session_id, model, requested_model], ['a\ufffdb\ufffd', 'x\ufffd', 'x\ufffd'])
  })

  test('spending is returned for day, week and month, with the rest of the limit', async () => {
    await using store = await newDb(kind)
    const day = 86_400_000
    const spent = [0, 1, 3, 17, 40].map((days) => generation({ createdAt: at - days * day, cost: 10n ** 12n }))
    await writeGenerations(store, [...spent, generation({ cost: 2n * 10n ** 12n, byok: true })])
    const key = { hash: 'hash', limit: 4, limit_reset: 'weekly' as const, include_byok_in_limit: true }
    const figures = (await readKeyUsage({ ...store, now: () => at }, [key]))(key)
    const { usage, usage_daily, usage_weekly, usage_monthly, byok_usage, limit_remaining } = figures
    assert.deepEqual([usage, usage_daily, usage_weekly, usage_monthly, byok_usage, limit_remaining], [5, 1, 2, 4, 2, 0])
  })

  test('charges beyond an estimate count for limits only', async () => {
    await using store = await newDb(kind)
    const usd = 10n ** 12n
    await writeGenerations(store, [
      generation({ cost: usd, margin: 2n * usd }),
      generation({ cost: 0n, margin: usd, endpointId: undefined, modelId: undefined, outcome: 'failed' }),
      generation({ cost: usd, margin: usd, byok: true }),
    ])
    const key = { hash: 'hash', limit: 10, limit_reset: null, include_byok_in_limit: false }
    const figures = (await readKeyUsage({ ...store, now: () => at }, [key]))(key)
    assert.deepEqual([figures.usage, figures.byok_usage, figures.limit_remaining], [1, 1, 6])
    const days = await listActivity(store, wholeTime)
    assert.deepEqual(
      days.map(({ model, requests, costUsd, unconfirmedUsd }) => [model, requests, costUsd, unconfirmedUsd]),
      [
        ['', 0, 0, 1],
        ['a/b', 2, 1, 3],
      ],
    )
    assert.equal(figures.unconfirmed_usd, 4)
    const spent = await readSpendingOf(store, { workspaceId: 'workspace' }, 0)
    assert.deepEqual([chargedOf(spent, false), chargedOf(spent, true)], [4n * usd, 6n * usd])
  })

  test('old records are pruned, and the sums stay', async () => {
    await using store = await newDb(kind)
    const [old, young] = [generation({ createdAt: at - 1000 }), generation()]
    await writeGenerations(store, [old, young])
    assert.equal(await pruneGenerations(store, at), 1)
    await assert.rejects(findGeneration(store, caller, old.id), { kind: 'not_found' })
    assert.equal((await listActivity(store, wholeTime))[0]?.requests, 2)
  })

  test('feedback is deleted with its request, however late it was given', async () => {
    await using store = await newDb(kind)
    const [old, young] = [generation({ createdAt: at - 1000 }), generation()]
    await writeGenerations(store, [old, young])
    for (const { id } of [old, young]) {
      const reporter = { db: store.db, now: () => at + 1000, newId: () => `feedback-${id}` }
      await addFeedback(reporter, id, 'user', { category: 'other', comment: null })
    }
    await pruneGenerations(store, at)
    assert.deepEqual(
      [(await readFeedback(store.db.query, old.id)).length, (await readFeedback(store.db.query, young.id)).length],
      [0, 1],
    )
  })
})

test('periods begin at midnight UTC: weeks on Monday, months on the 1st', () => {
  const start = (interval: 'daily' | 'weekly' | 'monthly') =>
    new Date(periodStart(interval, at) * 86_400_000).toISOString().slice(0, 10)
  assert.deepEqual([start('daily'), start('weekly'), start('monthly')], ['2026-11-18', '2026-11-16', '2026-11-01'])
  assert.equal(periodEnd('monthly', Date.UTC(2026, 11, 31)), Date.UTC(2027, 0, 1))
  assert.equal(periodEnd('weekly', Date.UTC(2026, 10, 16)), Date.UTC(2026, 10, 23))
  assert.equal(dayOf(Date.UTC(1970, 0, 2)), 1)
})

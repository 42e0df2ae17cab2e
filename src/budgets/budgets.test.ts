import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#db/db.ts'
import { newUuid } from '#lib/id.ts'
import { picoUsd } from '#lib/pico-usd.ts'
import { type DatabaseKind, newDb, onEachDatabase } from '#test/harness/databases.ts'
import { type Budget, periodOf } from './budget.ts'
import { type Budgets, openBudgets } from './budgets.ts'
import { exchange, exposureOf, leaseMs, spentIn } from './store.ts'

const usd = (amount: number) => picoUsd(amount.toFixed(12))
const budgetOf = (limit: number, more: Partial<Budget> = {}): Budget => ({
  id: 'guardrail:g',
  limit: usd(limit),
  interval: null,
  includesByok: false,
  subject: { kind: 'guardrail', id: 'g', workspaceId: 'w', createdAt: 0 },
  ...more,
})

function open(db: Db, now: () => number = Date.now, earlier = 0n, reportMs = 20, waitMs = 300): Budgets {
  const onError = (error: Error) => {
    throw error
  }
  return openBudgets(
    { db, now, newId: newUuid, spentEarlier: async () => earlier, onError },
    { waitMs, pollMs: 10, reportMs },
  )
}

/** One request: `most` is set aside and `cost` is spent, a moment later. @returns what was spent. */
async function spend(budgets: Budgets, budget: Budget, most: number, cost: number, ms = 2): Promise<number> {
  const reserved = await budgets.reserve([budget], usd(most))
  if ('refusedBy' in reserved) return 0
  await sleep(ms)
  reserved.reservation.settle(usd(cost), () => true)
  return cost
}

const spent = async (db: Db, budget: Budget) => Number((await spentIn(db, budget.id, 0)) ?? 0n) / 1e12

onEachDatabase('budgets', (kind: DatabaseKind) => {
  test('two thousand requests of random costs never exceed the limit, and nearly all of it can be spent', async () => {
    await using store = await newDb(kind)
    const servers = Array.from({ length: kind === 'postgres' ? 3 : 1 }, () => open(store.db, Date.now, 0n, 20, 5000))
    const budget = budgetOf(10)
    const requests = Array.from({ length: 2000 }, (_, i) => {
      const most = 0.005 + Math.random() * 0.02
      return spend(servers[i % servers.length]!, budget, most, most * Math.random(), Math.random() * 20)
    })
    const total = (await Promise.all(requests)).reduce((sum, cost) => sum + cost, 0)
    for (const server of servers) await server.close()
    assert.ok(total <= 10, `spent ${total}`)
    assert.ok(total >= 9.7, `only ${total} of 10 could be spent`)
    assert.ok(Math.abs((await spent(store.db, budget)) - total) < 1e-9)
  })

  test('a limit beyond what a column holds is one all the same', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db)
    const budget = { ...budgetOf(1), limit: 10n ** 34n }
    for (let i = 0; i < 3; i++) assert.equal(await spend(budgets, budget, 5_000_000, 1), 1)
    await budgets.close()
    assert.equal(await spent(store.db, budget), 3)
  })

  test('what does not fit is refused at once when requests under way could not make room', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db)
    assert.equal(await spend(budgets, budgetOf(1), 0.6, 0.6), 0.6)
    const refused = await budgets.reserve([budgetOf(1)], usd(0.5))
    assert.equal('refusedBy' in refused && refused.outcome, 'spent')
    assert.equal(await spend(budgets, budgetOf(1), 0.4, 0.4), 0.4)
    await budgets.close()
  })

  test('a request waits for what those under way give back', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db)
    const costs = await Promise.all([
      spend(budgets, budgetOf(1), 0.9, 0.1, 60),
      spend(budgets, budgetOf(1), 0.9, 0.1, 5),
    ])
    assert.deepEqual(costs, [0.1, 0.1])
    await budgets.close()
  })

  test('of several budgets all are charged or none', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db)
    const [wide, narrow] = [budgetOf(5, { id: 'guardrail:wide' }), budgetOf(0.1, { id: 'key:narrow' })]
    const refused = await budgets.reserve([wide, narrow], usd(1))
    assert.equal('refusedBy' in refused && refused.refusedBy.id, 'key:narrow')
    assert.equal(await spend(budgets, wide, 5, 5), 5)
    await budgets.close()
  })

  test('a new period starts anew, and a raised limit counts at once', async () => {
    await using store = await newDb(kind)
    let now = Date.UTC(2026, 10, 20, 23, 59)
    const budgets = open(store.db, () => now)
    const daily = budgetOf(1, { interval: 'daily' })
    assert.equal(await spend(budgets, daily, 1, 1), 1)
    assert.equal(await spend(budgets, daily, 1, 1), 0)
    assert.equal(await spend(budgets, { ...daily, limit: usd(2) }, 1, 1), 1)
    now += 120_000
    assert.equal(await spend(budgets, daily, 1, 1), 1)
    await budgets.close()
  })

  for (const servers of kind === 'postgres' ? [1, 3] : [1]) {
    test(`what is under way at ${servers} of servers counts in whichever interval the limit is changed to`, async () => {
      await using store = await newDb(kind)
      let ledger = 0n
      const [noon, start] = [Date.UTC(2026, 10, 25, 12), Date.now()]
      const now = () => noon + Date.now() - start
      const deps = { db: store.db, now, newId: newUuid, onError: assert.fail }
      const opened = Array.from({ length: servers }, () =>
        openBudgets(
          { ...deps, spentEarlier: async () => ledger },
          { waitMs: 1000, pollMs: 10, reportMs: 20, idleMs: 40 },
        ),
      )
      const ask = async (budget: Budget, at: number) => {
        const reserved = await opened[at % servers]!.reserve([budget], usd(0.09))
        if ('refusedBy' in reserved) return
        await sleep(300)
        ledger += usd(0.08)
        reserved.reservation.settle(usd(0.08), () => true)
      }
      const asked: Promise<void>[] = []
      for (const interval of ['daily', 'weekly', 'daily', 'monthly', null, 'weekly'] as const) {
        for (let at = 0; at < 4; at++) asked.push(ask(budgetOf(1, { interval }), at))
        await sleep(100)
      }
      await Promise.all(asked)
      for (const one of opened) await one.close()
      assert.ok(ledger <= usd(1) && ledger >= usd(0.8), `spent ${Number(ledger) / 1e12}`)
    })
  }

  for (const [from, to] of [
    ['daily', 'weekly'],
    ['monthly', 'daily'],
  ] as const) {
    test(`what is reported ${from} while the account of a limit begins ${to} is not missed`, async () => {
      await using store = await newDb(kind)
      const now = Date.UTC(2026, 10, 25, 12)
      const [old, young] = [budgetOf(1, { interval: from }), budgetOf(1, { interval: to })]
      const said = (budget: Budget, spent: number, held: number) =>
        [
          store.db,
          budget,
          { server: 's', period: periodOf(budget, now), spent: usd(spent), held: usd(held), need: 0n, now },
        ] as const
      const settled = async () => {}
      await exchange(...said(old, 0, 0.5), { settled, spent: async () => usd(0.1) })
      const lookIntoLedger = async () => {
        await exchange(...said(old, 0.3, 0.2), { settled, spent: assert.fail })
        return usd(0.1)
      }
      await exchange(...said(young, 0, 0), { settled, spent: lookIntoLedger })
      assert.equal(await spentIn(store.db, young.id, periodOf(young, now)), usd(0.4))
    })
  }

  test('what was spent before the limit was set counts', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db, Date.now, usd(0.8))
    assert.equal(await spend(budgets, budgetOf(1), 0.3, 0.3), 0)
    assert.equal(await spend(budgets, budgetOf(1), 0.2, 0.2), 0.2)
    await budgets.close()
  })

  test('what a dead server held returns when its lease is over', async () => {
    await using store = await newDb(kind)
    let later = 0
    const now = () => Date.now() + later
    const dead = open(store.db, now, 0n, 3_600_000)
    await dead.reserve([budgetOf(1)], usd(0.9))
    // No report of its own is under way when the clock jumps: it would look like a database that does not answer.
    const alive = open(store.db, now, 0n, 3_600_000)
    assert.equal(await spend(alive, budgetOf(1), 0.5, 0.5), 0)
    later = leaseMs + 1000
    assert.equal(await spend(alive, budgetOf(1), 0.5, 0.5), 0.5)
    await Promise.all([alive.close(), dead.close()])
  })

  test('what a dead server may have spent unreported counts as spent, and an answer waits rather than let it be more', async () => {
    await using store = await newDb(kind)
    let later = 0
    const now = () => Date.now() + later
    const dead = open(store.db, now, 0n, 3_600_000)
    const small = await dead.reserve([budgetOf(1)], usd(0.02))
    assert.ok('reservation' in small && small.reservation.settle(usd(0.004), () => true) === undefined)
    const large = await dead.reserve([budgetOf(1)], usd(0.02))
    assert.ok('reservation' in large)
    await large.reservation.settle(usd(0.015), () => true)
    assert.equal(await spent(store.db, budgetOf(1)), 0.019)
    const alive = open(store.db, now)
    later = leaseMs + 1000
    assert.equal(await spend(alive, budgetOf(1), 0.1, 0.1), 0.1)
    await alive.close()
    assert.equal(await spentIn(store.db, 'guardrail:g', 0), usd(0.119) + exposureOf(usd(1)))
    await dead.close()
  })

  test('a server that could not speak with the database for as long as its lease draws on it no more', async () => {
    await using store = await newDb(kind)
    let later = 0
    const cutOff = open(store.db, () => Date.now() + later, 0n, 3_600_000)
    assert.equal(await spend(cutOff, budgetOf(1), 0.01, 0.01), 0.01)
    later = leaseMs
    const alive = open(store.db, () => Date.now() + leaseMs + 1000)
    assert.equal(await spend(alive, budgetOf(1), 0.98, 0.98), 0.98)
    await alive.report()
    assert.equal(await spend(cutOff, budgetOf(1), 0.01, 0.01), 0)
    await Promise.all([alive.close(), cutOff.close()])
  })
})

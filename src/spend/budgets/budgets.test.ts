import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newUuid } from '#platform/core/id.ts'
import { parsePicoUsd } from '#platform/core/pico-usd.ts'
import { createDatabaseClock, createLocalClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { type DatabaseKind, newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { type Budget, periodOf } from './budget.ts'
import { Budgets } from './budgets.ts'
import { exchangeLease, type LeaseReport } from './leases/lease-exchange.ts'
import { leaseMs, sumLeases, unresponsiveMs } from './leases/leases.ts'
import { readBudget } from './rows/stored-budget.ts'

const usd = (amount: number) => parsePicoUsd(amount.toFixed(12))
const budgetOf = (limit: number, more: Partial<Budget> = {}): Budget => ({
  id: 'guardrail:g',
  limit: usd(limit),
  interval: null,
  includesByok: false,
  subject: { kind: 'key', hash: 'g' },
  ...more,
})

function open(db: Db, now: () => number = Date.now, earlier = 0n, reportMs = 20, waitMs = 300): Budgets {
  const onError = (error: Error) => {
    throw error
  }
  return new Budgets(
    {
      db,
      clock: createLocalClock(now),
      now,
      newId: newUuid,
      waitUntilWritten: async () => {},
      readChargedSince: async () => earlier,
      onError,
    },
    { waitMs, stallMs: 300_000, pollMs: 10, reportMs },
  )
}

/** One request: reserves `most`, and spends `cost` a moment later. @returns the spent amount. */
async function spend(budgets: Budgets, budget: Budget, most: number, cost: number, ms = 2): Promise<number> {
  const reserved = await budgets.reserve([budget], usd(most))
  if ('refusedBy' in reserved) return 0
  await sleep(ms)
  reserved.reservation.settle({ cost: usd(cost), byok: false })
  return cost
}

const spent = async (db: Db, budget: Budget, now: () => number = Date.now) => {
  const period = periodOf(budget, now())
  const stored = await readBudget(db.query, createLocalClock(now), budget.id, period)
  return Number((stored.spent ?? 0n) + sumLeases(budget, period, stored).unaccounted) / 1e12
}

test('each report to a failing database is refused with an error', async () => {
  const messages: string[] = []
  const fails = () => Promise.reject(new Error('away'))
  const db = { exclusively: fails } as unknown as Db
  const now = () => Date.UTC(2026, 0, 1)
  const onError = ({ message }: Error) => void messages.push(message)
  const deps = {
    db,
    clock: createLocalClock(now),
    now,
    newId: newUuid,
    waitUntilWritten: async () => {},
    readChargedSince: async () => 0n,
    onError,
  }
  const budgets = new Budgets(deps, { reportMs: 3_600_000 })
  await assert.rejects(async () => budgets.reserve([budgetOf(1)], usd(0.1)), /away/)
  for (let times = 1; times < 3; times++) {
    await budgets.report()
    assert.equal(messages.length, times)
  }
  await budgets.close()
})

onEachDatabase('budgets', (kind: DatabaseKind) => {
  /** A cut-off server: it reports only when the test says so. */
  const silent = (db: Db, now?: () => number) => open(db, now, 0n, 3_600_000)

  test('two thousand requests never exceed the limit, and can spend nearly all of it', async () => {
    await using store = await newDb(kind)
    const servers = Array.from({ length: kind === 'postgres' ? 3 : 1 }, () => open(store.db, Date.now, 0n, 20, 60_000))
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

  test('a limit beyond the range of a column is still enforced', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db)
    const budget = { ...budgetOf(1), limit: 10n ** 34n }
    for (let i = 0; i < 3; i++) assert.equal(await spend(budgets, budget, 5_000_000, 1), 1)
    await budgets.close()
    assert.equal(await spent(store.db, budget), 3)
  })

  test('a request that cannot fit is refused at once', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db)
    assert.equal(await spend(budgets, budgetOf(1), 0.6, 0.6), 0.6)
    const refused = await budgets.reserve([budgetOf(1)], usd(0.5))
    assert.equal('refusedBy' in refused && refused.outcome, 'spent')
    assert.equal(await spend(budgets, budgetOf(1), 0.4, 0.4), 0.4)
    await budgets.close()
  })

  test('a request waits for the amounts that others return', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db, Date.now, 0n, 20, 300_000)
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

  test('a limit that is lowered holds at once, whatever lies ready here', async () => {
    await using store = await newDb(kind)
    const budgets = silent(store.db)
    assert.equal(await spend(budgets, budgetOf(1), 0.001, 0.001), 0.001)
    assert.equal(await spend(budgets, budgetOf(0.002), 0.002, 0.002), 0)
    assert.equal(await spend(budgets, budgetOf(0.002), 0.001, 0.001), 0.001)
    await budgets.close()
  })

  test('the reserve of one budget is restored when another has no room', async () => {
    await using store = await newDb(kind)
    const budgets = silent(store.db)
    const [wide, narrow] = [budgetOf(5, { id: 'guardrail:wide' }), budgetOf(0.01, { id: 'key:narrow' })]
    // After that, part of it is available.
    assert.equal(await spend(budgets, wide, 0.01, 0), 0)
    for (let times = 0; times < 2; times++) assert.ok('refusedBy' in (await budgets.reserve([wide, narrow], usd(0.02))))
    assert.equal(await spend(budgets, wide, 5, 5), 5)
    await budgets.close()
    assert.equal((await store.db.query.selectFrom('budget_leases').selectAll().execute()).length, 0)
  })

  test('the reserve remains after a report: the next request needs no query', async () => {
    await using store = await newDb(kind)
    const budgets = silent(store.db, () => Date.UTC(2026, 10, 1))
    assert.equal(await spend(budgets, budgetOf(1), 0.001, 0.001), 0.001)
    for (let times = 0; times < 3; times++) await budgets.report()
    // A response of the database would take longer.
    const later = new Promise<'later'>((resolve) => setImmediate(resolve, 'later'))
    const reserved = await Promise.race([budgets.reserve([budgetOf(1)], usd(0.001)), later])
    assert.ok(reserved !== 'later' && 'reservation' in reserved)
    reserved.reservation.settle({ cost: 0n, byok: false })
    await budgets.close()
  })

  test('spending of another interval is reported before an account starts', async () => {
    await using store = await newDb(kind)
    let ledger = 0n
    const now = () => Date.UTC(2026, 10, 25, 12)
    const deps = { db: store.db, clock: createLocalClock(now), now, newId: newUuid, onError: assert.fail }
    const budgets = new Budgets(
      { ...deps, waitUntilWritten: async () => {}, readChargedSince: async () => ledger },
      { reportMs: 3_600_000 },
    )
    const [daily, weekly] = [budgetOf(1, { interval: 'daily' }), budgetOf(1, { interval: 'weekly' })]
    await spend(budgets, daily, 0.3, 0.3)
    ledger = usd(0.3)
    await spend(budgets, weekly, 0.2, 0.2)
    await budgets.close()
    assert.equal(await spent(store.db, weekly, now), 0.5)
  })

  test('unaccounted amounts are deleted when no period can be charged with them', async () => {
    await using store = await newDb(kind)
    let now = Date.UTC(2026, 10, 1, 12)
    const daily = budgetOf(1, { interval: 'daily' })
    const leases = async () => (await store.db.query.selectFrom('budget_leases').select('period').execute()).length
    const newDay = async () => {
      const budgets = silent(store.db, () => now)
      assert.equal(await spend(budgets, daily, 1, 1), 1)
      await budgets.close()
    }
    await silent(store.db, () => now).reserve([daily], usd(0.4))
    now += 30 * 86_400_000
    await newDay()
    assert.equal(await leases(), 1)
    now += 15 * 86_400_000
    await newDay()
    assert.equal(await leases(), 0)
  })

  test('a new period starts at zero, and a raised limit applies at once', async () => {
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
    test(`requests in flight at ${servers} of servers count in the new interval of a limit`, async () => {
      await using store = await newDb(kind)
      let ledger = 0n
      const [noon, start] = [Date.UTC(2026, 10, 25, 12), Date.now()]
      const now = () => noon + Date.now() - start
      const deps = { db: store.db, clock: createLocalClock(now), now, newId: newUuid, onError: assert.fail }
      const opened = Array.from(
        { length: servers },
        () =>
          new Budgets(
            { ...deps, waitUntilWritten: async () => {}, readChargedSince: async () => ledger },
            { waitMs: 60_000, stallMs: 300_000, pollMs: 10, reportMs: 20, idleMs: 40 },
          ),
      )
      const ask = async (budget: Budget, at: number) => {
        const reserved = await opened[at % servers]!.reserve([budget], usd(0.09))
        if ('refusedBy' in reserved) return
        await sleep(300)
        ledger += usd(0.08)
        reserved.reservation.settle({ cost: usd(0.08), byok: false })
      }
      const requests: Promise<void>[] = []
      for (const interval of ['daily', 'weekly', 'daily', 'monthly', null, 'weekly'] as const) {
        for (let at = 0; at < 4; at++) requests.push(ask(budgetOf(1, { interval }), at))
        await sleep(100)
      }
      await Promise.all(requests)
      for (const one of opened) await one.close()
      assert.ok(ledger <= usd(1) && ledger >= usd(0.8), `spent ${Number(ledger) / 1e12}`)
    })
  }

  for (const [from, to] of [
    ['daily', 'weekly'],
    ['monthly', 'daily'],
  ] as const) {
    test(`a report ${from} while the account of a limit starts ${to} is not lost`, async () => {
      await using store = await newDb(kind)
      const now = Date.UTC(2026, 10, 25, 12)
      const [old, young] = [budgetOf(1, { interval: from }), budgetOf(1, { interval: to })]
      const clocked = { db: store.db, clock: createLocalClock(() => now) }
      const notification = (budget: Budget, total: number, held: number): [Budget, () => LeaseReport] => [
        budget,
        () => ({
          server: 's',
          period: periodOf(budget, now),
          total: usd(total),
          confirmed: 0n,
          held: usd(held),
          need: 0n,
          unwritten: 0n,
          totalNeed: 0n,
        }),
      ]
      const settled = async () => {}
      let ledger = usd(0.1)
      const readLedger = async () => ledger
      await exchangeLease(clocked, ...notification(old, 0, 0.5), { waitUntilReported: settled, readLedger })
      const reportOlder = async () => {
        // A report has only what the ledger has stored.
        ledger = usd(0.4)
        const unused = { waitUntilReported: settled, readLedger: () => assert.fail() }
        await exchangeLease(clocked, ...notification(old, 0.3, 0.2), unused)
      }
      await exchangeLease(clocked, ...notification(young, 0, 0), { waitUntilReported: reportOlder, readLedger })
      assert.equal(await spent(store.db, young, () => now), 0.4)
    })
  }

  test('spending before the limit was set counts', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db, Date.now, usd(0.8))
    assert.equal(await spend(budgets, budgetOf(1), 0.3, 0.3), 0)
    assert.equal(await spend(budgets, budgetOf(1), 0.2, 0.2), 0.2)
    await budgets.close()
  })

  test('a request that runs when a limit is set counts in it when it ends', async () => {
    await using store = await newDb(kind)
    const budgets = open(store.db)
    const unused = budgets.openReservation(budgetOf(1))
    assert.equal(await spend(budgets, budgetOf(1), 0.5, 0.5), 0.5)
    const used = budgets.openReservation(budgetOf(1))
    for (const running of [unused, used]) running.settle({ cost: usd(0.2), byok: false })
    assert.equal(await spend(budgets, budgetOf(1), 0.2, 0.2), 0)
    await budgets.close()
    assert.equal(await spent(store.db, budgetOf(1)), 0.9)
  })

  test('the reservation of a lost server counts as spent, and is never granted again', async () => {
    await using store = await newDb(kind)
    let later = 0
    const now = () => Date.now() + later
    const dead = silent(store.db, now)
    await dead.reserve([budgetOf(1)], usd(0.6))
    const alive = silent(store.db, now)
    // The money can return at any moment, so a request that needs it waits.
    const waited = await alive.reserve([budgetOf(1)], usd(0.5))
    assert.equal('refusedBy' in waited && waited.outcome, 'reserved')
    later = unresponsiveMs + 1000
    const cutOff = await alive.reserve([budgetOf(1)], usd(0.5))
    assert.equal('refusedBy' in cutOff && cutOff.outcome, 'cut_off')
    later = leaseMs + 1000
    const refused = await alive.reserve([budgetOf(1)], usd(0.5))
    assert.equal('refusedBy' in refused && refused.outcome, 'spent')
    assert.equal(await spend(alive, budgetOf(1), 0.35, 0.35), 0.35)
    await alive.close()
    assert.equal(await spent(store.db, budgetOf(1), now), 0.95)
    await dead.close()
  })

  test('a server that returns settles its reservation once', async () => {
    await using store = await newDb(kind)
    let later = 0
    const now = () => Date.now() + later
    const cutOff = silent(store.db, now)
    const inFlight = await cutOff.reserve([budgetOf(1)], usd(0.6))
    later = 3_600_000
    const alive = silent(store.db, now)
    assert.equal(await spend(alive, budgetOf(1), 0.5, 0.5), 0)
    if ('reservation' in inFlight) inFlight.reservation.settle({ cost: usd(0.2), byok: false })
    for (let times = 0; times < 3; times++) await cutOff.report()
    assert.equal(await spent(store.db, budgetOf(1), now), 0.2)
    assert.equal(await spend(alive, budgetOf(1), 0.8, 0.8), 0.8)
    await Promise.all([alive.close(), cutOff.close()])
    assert.equal(await spent(store.db, budgetOf(1), now), 1)
  })

  test('reservations of live servers are not charged to others', async () => {
    await using store = await newDb(kind)
    let later = 0
    const now = () => Date.now() + later
    const [dead, alive, third] = [silent(store.db, now), silent(store.db, now), silent(store.db, now)]
    await dead.reserve([budgetOf(1)], usd(0.2))
    later = leaseMs + 1000
    await alive.reserve([budgetOf(1)], usd(0.6))
    assert.equal(await spend(third, budgetOf(1), 0.1, 0.1), 0.1)
    assert.equal(await spend(third, budgetOf(1), 0.2, 0.2), 0)
    await Promise.all([alive.close(), dead.close(), third.close()])
  })

  test('a report whose response is lost counts once, and its grant returns', async () => {
    await using store = await newDb(kind)
    const responses = { lost: false }
    const deaf: Db = {
      ...store.db,
      async exclusively(name, work) {
        const done = await store.db.exclusively(name, work)
        if (responses.lost) throw new Error('The response was lost.')
        return done
      },
    }
    const deps = {
      clock: createLocalClock(Date.now),
      now: Date.now,
      newId: newUuid,
      waitUntilWritten: async () => {},
      readChargedSince: async () => 0n,
    }
    const budgets = new Budgets({ ...deps, db: deaf, onError: () => {} }, { reportMs: 3_600_000, pollMs: 10 })
    assert.equal(await spend(budgets, budgetOf(1), 0.3, 0.25), 0.25)
    responses.lost = true
    for (let times = 0; times < 3; times++) await budgets.report()
    await assert.rejects(async () => budgets.reserve([budgetOf(1)], usd(0.5)))
    responses.lost = false
    assert.equal(await spend(budgets, budgetOf(1), 0.75, 0.75), 0.75)
    await budgets.close()
    assert.equal(await spent(store.db, budgetOf(1)), 1)
    assert.equal((await store.db.query.selectFrom('budget_leases').selectAll().execute()).length, 0)
  })

  test('periods follow the clock of the database, not of a server', async () => {
    await using store = await newDb(kind)
    let now = Date.UTC(2026, 10, 20, 23, 55)
    const daily = budgetOf(1, { interval: 'daily' })
    const skewed = (minutes: number) => {
      const deps = {
        db: store.db,
        clock: createLocalClock(() => now),
        now: () => now + minutes * 60_000,
        newId: newUuid,
      }
      return new Budgets(
        { ...deps, waitUntilWritten: async () => {}, readChargedSince: async () => 0n, onError: assert.fail },
        { reportMs: 3_600_000 },
      )
    }
    const servers = [skewed(0), skewed(10), skewed(-1440)]
    const eachSpends = async (cost: number) => {
      for (const server of servers) {
        assert.equal(await spend(server, daily, 0.3, 0.3), cost)
        await server.report()
      }
    }
    await eachSpends(0.3)
    await eachSpends(0)
    now += 600_000
    await eachSpends(0.3)
    for (const server of servers) await server.close()
    assert.equal(await spent(store.db, daily, () => now), 0.9)
  })

  test('the database returns its time', async () => {
    await using store = await newDb(kind)
    const clock = createDatabaseClock(store.db, Date.now)
    const before = Date.now()
    const budgets = new Budgets(
      {
        db: store.db,
        clock,
        now: Date.now,
        newId: newUuid,
        waitUntilWritten: async () => {},
        readChargedSince: async () => 0n,
        onError: assert.fail,
      },
      { reportMs: 3_600_000 },
    )
    await budgets.reserve([budgetOf(1)], usd(0.1))
    const { renewed_at } = await store.db.query.selectFrom('budget_leases').selectAll().executeTakeFirstOrThrow()
    assert.ok(renewed_at >= before && renewed_at <= Date.now() + 1000, `${renewed_at} after ${before}`)
    await budgets.close()
  })
})

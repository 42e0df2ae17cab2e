import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budgetsFor, reserveBudgets } from '#gateway/admission/budget-reservation.ts'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { TurnBudget } from '#interns/contract/turn-budget.ts'
import { createIntern } from '#interns/lifecycle/create-intern.ts'
import { endRun } from '#interns/runs/end-runs.ts'
import { announceTurn, findOpenAccounts } from '#interns/runs/limited-turns.ts'
import { saveReportedRun, saveStartedRun } from '#interns/runs/run-store.ts'
import { newUuid } from '#platform/core/id.ts'
import { toPicoUsd } from '#platform/core/pico-usd.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import { pruneTurnAccounts } from '#spend/budgets/accounts/prune-turn-accounts.ts'
import { Budgets } from '#spend/budgets/budgets.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { caller as someone } from '#test/harness/records/generations.ts'
import { createTurnLimits } from './turn-limits.ts'

const now = Date.now
const oneDollar: TurnBudget = { costUsd: 1, costOf: 'max_cost_usd' }
const overBudget = { outcome: 'over_budget', message: null, model: null, usage: null, endedAt: 2000 } as const

/** An intern with the key `own`, and the servers that can receive its requests. */
async function startTurnLimits({ db }: Awaited<ReturnType<typeof newDb>>) {
  const deps = { db, now, newId: newUuid, vault: createVault(Buffer.alloc(32)), idleTimeoutMs: 60_000 }
  await bootstrap(deps)
  const at = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const owner = { organizationId: at.organization_id, workspaceId: at.id, userId: at.created_by, keyHash: 'k' }
  const { id } = (await createIntern(deps, owner as never, { name: 'ada', provision: true })).intern
  await db.query.updateTable('interns').set({ key_hash: 'own' }).where('id', '=', id).execute()
  const own = { internId: id, sessionId: 's', keyHash: 'own', budget: oneDollar }
  const started = { id: 'r', sessionId: 's', background: false, startedBy: null, startedAt: 1000, internKey: 'own' }
  const clock = createLocalClock(now)
  const server = (reportMs = 20) =>
    new Budgets(
      {
        db,
        clock,
        now,
        newId: newUuid,
        waitUntilWritten: async () => {},
        readChargedSince: async () => 0n,
        onError: (error) => assert.fail(error),
      },
      { waitMs: 300_000, stallMs: 300_000, pollMs: 10, reportMs },
    )
  /** Reserves this cost. @returns the function that settles the request. */
  const ask = async (budgets: Budgets, usd: number, endTimeoutMs = 1) => {
    const turns = await createTurnLimits({ db, now }, endTimeoutMs)('own')
    const limits = budgetsFor(someone, [], turns)
    const { reservation } = await reserveBudgets(
      { budgets, now },
      { budgets: limits, guardrails: [], turns },
      { request: {} as never, maxCost: toPicoUsd(usd) },
    )
    return (cost: number) => reservation.settle({ cost: toPicoUsd(cost), byok: false })
  }
  return {
    db,
    server,
    ask,
    announce: (budget: TurnBudget = oneDollar) =>
      announceTurn(deps, { ...own, account: newUuid(), budget }, async (announcement) => announcement!),
    announceUnlimited: () =>
      announceTurn(deps, { ...own, account: newUuid(), budget: undefined }, async (budget) => budget!),
    announceTurn: (begin: () => Promise<never>, idleTimeoutMs = 60_000, account = newUuid()) =>
      announceTurn({ ...deps, idleTimeoutMs }, { ...own, account }, begin),
    begin: (budget: TurnBudget, internKey = 'own') => saveStartedRun(db.query, id, { ...started, budget, internKey }),
    report: (run: { id: string; budget?: TurnBudget }) =>
      saveReportedRun(db.query, id, { ...started, startedBy: 'u', ...run }),
    end: () => db.exclusively('test', (tx, publish) => endRun(tx, publish, id, 'r', overBudget)),
    limits: (key = 'own') =>
      createTurnLimits({ db, now })(key).then(
        (limits) => limits?.budgets.map((budget) => budget.id) ?? 'no limit',
        ({ kind }) => kind,
      ),
    forget: () => pruneTurnAccounts({ db, clock, runningTurns: () => findOpenAccounts({ db, now }) }),
    storedBudgets: async () =>
      (await db.query.selectFrom('budget_periods').select('budget').execute()).map((row) => row.budget),
  }
}

onEachDatabase('the cost limit of turns', (kind) => {
  test('limits requests before the turn has a run, and with the same account after', async () => {
    await using store = await newDb(kind)
    const { announce, begin, end, limits } = await startTurnLimits(store)
    assert.equal(await limits(), 'forbidden')
    const budget = await announce({ ...oneDollar, sessionUsd: 2 })
    const [ofTurn, ofSession] = (await limits())!
    assert.deepEqual([ofTurn, ofSession?.startsWith('session:')], [`turn:${budget.id}`, true])
    assert.equal(await limits('another'), 'forbidden')
    await begin(budget)
    assert.deepEqual(await limits(), [ofTurn, ofSession])
    await end()
    assert.equal(await limits(), 'forbidden')
  })

  test('refuses the key outside of a turn, whether or not turns are limited', async () => {
    await using store = await newDb(kind)
    const { announceUnlimited, begin, end, limits } = await startTurnLimits(store)
    assert.equal(await limits(), 'forbidden')
    const { id } = await announceUnlimited()
    assert.deepEqual([await limits(), await limits('another')], ['no limit', 'forbidden'])
    await begin({ id })
    assert.equal(await limits(), 'no limit')
    await store.db.query.updateTable('intern_runs').set({ status: 'waiting' }).execute()
    assert.equal(await limits(), 'no limit')
    await end()
    assert.equal(await limits(), 'forbidden')
  })

  test('is that of the announcement, whatever budget a daemon reports', async () => {
    await using store = await newDb(kind)
    const { announce, report, limits } = await startTurnLimits(store)
    const { id } = await announce()
    const storedBudget = async () =>
      JSON.parse((await store.db.query.selectFrom('intern_runs').select('budget').executeTakeFirst())?.budget ?? '')
    for (const reported of [{ ...oneDollar, id, costUsd: 1000 }, { id: 'other' }, { costUsd: 1000 }, undefined]) {
      await report({ id: 'r', budget: reported as TurnBudget })
      assert.deepEqual([await storedBudget(), await limits()], [{ ...oneDollar, id }, [`turn:${id}`]])
    }
  })

  test('cannot be avoided by a daemon that ends its turn, and reports another one', async () => {
    await using store = await newDb(kind)
    const { announce, begin, end, report, limits } = await startTurnLimits(store)
    await begin(await announce())
    await end()
    for (const budget of [undefined, { id: 'chosen' }, { ...oneDollar, costUsd: 1000 }]) {
      await report({ id: newUuid(), ...(budget && { budget: budget as TurnBudget }) })
      assert.equal(await limits(), 'forbidden')
    }
  })

  test('allows a run of an older version, which stored no key, until the run ends', async () => {
    await using store = await newDb(kind)
    const { begin, report, end, limits } = await startTurnLimits(store)
    await begin({})
    await store.db.query.updateTable('intern_runs').set({ own_key: null }).execute()
    assert.equal(await limits(), 'no limit')
    await report({ id: 'r' })
    assert.deepEqual([await limits(), await limits('another')], ['no limit', 'forbidden'])
    await end()
    assert.equal(await limits(), 'forbidden')
  })

  test('ignores turns that did not start, and for a while those of unknown state', async () => {
    await using store = await newDb(kind)
    const { announceTurn, limits } = await startTurnLimits(store)
    for (const kind of ['session_busy', 'intern_unreachable', 'intern_asleep'] as const) {
      await assert.rejects(announceTurn(() => Promise.reject(new Refusal(kind, 'not started'))))
      assert.equal(await limits(), 'forbidden')
    }
    const severed = () => Promise.reject(new Refusal('stream_severed', 'severed'))
    await assert.rejects(announceTurn(severed, -3_600_000))
    assert.equal(await limits(), 'forbidden')
    await assert.rejects(announceTurn(severed))
    assert.equal((await limits())?.length, 1)
  })

  test('limits a prompt that is tried once more by one account', async () => {
    await using store = await newDb(kind)
    const { announceTurn, limits } = await startTurnLimits(store)
    for (const message of ['the daemon ended', 'and so did the next one'])
      await assert.rejects(
        announceTurn(() => Promise.reject(new Refusal('stream_severed', message)), 60_000, 'account'),
      )
    assert.deepEqual(await limits(), ['turn:account'])
  })

  test('limits turns at a server whose clock is an hour ahead', async () => {
    await using store = await newDb(kind)
    const { announce } = await startTurnLimits(store)
    const budget = await announce()
    // The embedded database uses the clock of its only server.
    const ahead = kind === 'postgres' ? () => now() + 3_600_000 : now
    assert.deepEqual(await findOpenAccounts({ db: store.db, now: ahead }), [budget.id])
    const limits = await createTurnLimits({ db: store.db, now: ahead })('own')
    assert.deepEqual(limits?.budgets[0]?.id, `turn:${budget.id}`)
  })

  test('limits a turn of a daemon without accounts by its key alone', async () => {
    await using store = await newDb(kind)
    const { begin, limits } = await startTurnLimits(store)
    await begin(oneDollar, 'earlier')
    assert.equal(await limits(), 'forbidden')
    await store.db.query.updateTable('intern_runs').set({ metered_key: 'own' }).execute()
    assert.deepEqual(await limits(), ['turn:r'])
  })

  for (const [what, budget] of [
    ['a turn', { costUsd: 0.35, costOf: 'max_cost_usd' }],
    ['a session', { costUsd: 5, costOf: 'max_cost_usd', sessionUsd: 0.35 }],
  ] as const)
    test(`is never exceeded by ${what}: three of twenty concurrent requests pass`, async () => {
      await using store = await newDb(kind)
      const { announce, server, ask } = await startTurnLimits(store)
      await announce(budget)
      const servers = [server(), server()]
      const results = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => hold(servers[at % 2]!)))
      const refused = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      assert.deepEqual([refused.length, new Set(refused.map(({ kind }) => kind))], [17, new Set(['forbidden'])])
      const rule = budget.costUsd === 5 ? 'session_max_cost_usd' : 'max_cost_usd'
      const metadata = { rule, limit_usd: 0.35, needed_usd: 0.1, resets_at: null }
      assert.deepEqual(refused[0].details.metadata, metadata)
      for (const each of servers) await each.close()

      async function hold(budgets: Budgets) {
        const settle = await ask(budgets, 0.1)
        settle(0.1)
      }
    })

  test('is released as far as a request cost less than its maximum', async () => {
    await using store = await newDb(kind)
    const { announce, server, ask } = await startTurnLimits(store)
    await announce()
    const budgets = server()
    for (let times = 0; times < 5; times++) (await ask(budgets, 0.9))(0.01)
    const [first, second] = [await ask(budgets, 0.9), ask(budgets, 0.9)]
    first(0.01)
    ;(await second)(0.01)
    await budgets.close()
  })

  test('counts reservations of a killed server, and deletes the account with the turn', async () => {
    await using store = await newDb(kind)
    const { announce, begin, end, server, ask, forget, storedBudgets } = await startTurnLimits(store)
    const budget = await announce()
    await begin(budget)
    // It receives no more notifications.
    const [killed, other] = [server(3_600_000), server()]
    await ask(killed, 0.6)
    await store.db.query.updateTable('budget_leases').set({ renewed_at: 0 }).execute()
    await assert.rejects(ask(other, 0.6), { kind: 'forbidden' })
    await other.close()
    await forget()
    assert.deepEqual(await storedBudgets(), [`turn:${budget.id}`])
    await end()
    await forget()
    assert.deepEqual(await storedBudgets(), [])
    assert.deepEqual(await store.db.query.selectFrom('budget_leases').selectAll().execute(), [])
  })

  test('ends the turn before its agent sees the refusal', async () => {
    await using store = await newDb(kind)
    const { announce, begin, end, server, ask } = await startTurnLimits(store)
    await begin(await announce())
    const budgets = server()
    // Before the turn ends, because the refusal can come before `end` returns.
    const refusal = assert.rejects(ask(budgets, 1.5, 600_000), { kind: 'rate_limited' })
    const marked = async () => (await store.db.query.selectFrom('intern_runs').select('refused').execute())[0]?.refused
    while (!(await marked())) await new Promise(setImmediate)
    assert.deepEqual(JSON.parse((await marked())!), { part: 'max_cost_usd', neededUsd: 1.5 })
    await end()
    await refusal
    await budgets.close()
  })
})

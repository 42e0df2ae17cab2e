import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import { Refusal } from '../contract/refusal.ts'
import type { TurnEvent } from '../contract/turn-event.ts'
import { createIntern } from '../lifecycle/create-intern.ts'
import { type ChatTurnDeps, startChatTurn } from '../turns/chat-turn.ts'
import { endRun } from './end-runs.ts'
import { type FollowDeps, followRuns } from './follow-runs.ts'
import { announceTurn } from './limited-turns.ts'
import { readSessionSpending } from './run-spending.ts'
import { saveStartedRun } from './run-store.ts'
import { storeRun } from './store-run.ts'

type Store = Awaited<ReturnType<typeof newDb>>

/** An intern whose daemon reports that the turn started, and nothing more. */
async function runningIntern({ db }: Store, budget: { max_cost_usd: number } | null) {
  const now = Date.now
  const deps = { db, now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
  await bootstrap(deps)
  const at = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const caller = {
    organizationId: at.organization_id,
    workspaceId: at.id,
    userId: at.created_by,
    keyHash: 'k',
  } as never
  const { id } = (await createIntern(deps, caller, { name: 'ada', provision: true, budget })).intern
  const runs = { status: 'running', key_hash: 'the key of then' }
  await db.query.updateTable('interns').set(runs).where('id', '=', id).execute()
  async function* startedTurn(): AsyncGenerator<TurnEvent> {
    yield { type: 'turn.started', runId: 'r', sessionId: 's', model: null }
  }
  const turn = {
    db,
    now,
    newId: newUuid,
    idleMs: 0,
    idleTimeoutMs: 60_000,
    rates: { user: 100, organization: 100 },
    runsOf: () => ({ start: async () => startedTurn() }),
    screen: async (_: unknown, text: string) => text,
    decisions: { collectRemaining: () => {} },
  } as unknown as ChatTurnDeps
  const prompt = () => {
    const request = { messages: [{ role: 'user' as const, content: 'hello' }] }
    return startChatTurn(turn, caller, { internId: id, request: request as never }, new AbortController().signal)
  }
  const storedRuns = () =>
    db.query.selectFrom('intern_runs').select(['id', 'budget', 'metered_key', 'began_at']).execute()
  return { id, prompt, storedRuns }
}

onEachDatabase('a started turn', (kind) => {
  test('is announced when it is stored and when it ends, so that callers need not poll', async () => {
    await using store = await newDb(kind)
    const { id, prompt } = await runningIntern(store, null)
    const announced: string[] = []
    store.db.signals.subscribe('run.changed', (changedId) => announced.push(changedId))
    await prompt()
    assert.equal(announced.pop(), id)
    announced.length = 0
    const end = { outcome: 'finished', message: null, model: null, usage: null, endedAt: Date.now() } as const
    await store.db.exclusively('test', (tx, publish) => endRun(tx, publish, id, 'r', end))
    assert.equal(announced.pop(), id)
  })

  test('with a budget is stored with the intern’s key before its caller gets the id', async () => {
    await using store = await newDb(kind)
    const { id, prompt, storedRuns } = await runningIntern(store, { max_cost_usd: 1 })
    const since = Date.now()
    await prompt()
    const [run] = await storedRuns()
    const budget = JSON.parse(run?.budget ?? '')
    const { id: account, ...limits } = budget
    assert.deepEqual([run?.metered_key, limits], ['the key of then', { costUsd: 1, costOf: 'max_cost_usd' }])
    assert.match(account, /^[\w-]{36}$/)
    assert.ok(run!.began_at >= since)
    // The daemon's report after the intern was restarted with another key.
    const started = { id: 'r', sessionId: 's', background: false, startedAt: 1, startedBy: null }
    await saveStartedRun(store.db.query, id, { ...started, budget, internKey: 'a later key' })
    assert.deepEqual(await storedRuns(), [run])
  })

  test('that is only announced, counts for its session with the key that it spends with', async () => {
    await using store = await newDb(kind)
    const { id } = await runningIntern(store, null)
    const limit = { costUsd: 1, costOf: 'session_max_cost_usd' } as const
    const turn = { account: 'a', internId: id, sessionId: 's', keyHash: 'the key of then', budget: limit }
    const now = () => 4000
    const budget = await announceTurn({ db: store.db, now, idleTimeoutMs: 60_000 }, turn, async (given) => given)
    const unsettled = { meteredKey: 'the key of then', startedAt: 4000, endedAt: null, reportedUsd: 0 }
    const spending = { spentUsd: 0, unsettled: [unsettled], isOpen: true }
    assert.deepEqual(await readSessionSpending(store.db.query, id, 's'), spending)
    // The intern was stopped before the turn was stored, and its daemon reports the turn after the next start.
    const run = { id: 'r', sessionId: 's', background: false, startedAt: 4000, startedBy: null }
    await saveStartedRun(store.db.query, id, { ...run, budget, internKey: 'a later key' })
    assert.deepEqual(await readSessionSpending(store.db.query, id, 's'), spending)
  })

  test('that fails to start stays announced only if the connection broke afterwards', async () => {
    await using store = await newDb(kind)
    const { id } = await runningIntern(store, null)
    const deps = { db: store.db, now: Date.now, idleTimeoutMs: 60_000 }
    const failures = {
      unreachable: new Refusal('intern_unreachable', 'no connection'),
      unexpected: new Error('its address was not found'),
      severed: new Refusal('stream_severed', 'the connection broke'),
    }
    for (const [account, error] of Object.entries(failures)) {
      const turn = { account, internId: id, sessionId: 's', keyHash: 'k' }
      await assert.rejects(
        announceTurn(deps, turn, () => Promise.reject(error)),
        error,
      )
    }
    const announced = await store.db.query.selectFrom('announced_turns').select('id').execute()
    assert.deepEqual(announced, [{ id: 'severed' }])
  })

  for (const isComplete of [true, false])
    test(`that ends with ${isComplete ? 'its cost recorded is' : 'an incomplete cost is not'} settled`, async () => {
      await using store = await newDb(kind)
      const { id } = await runningIntern(store, null)
      const budget = { id: 'a', costUsd: 1, costOf: 'session_max_cost_usd' }
      const entries = [
        { type: 'prompt', runId: 'r', revision: 1, at: 1, by: 'u', text: 'hello', budget },
        { type: 'end', runId: 'r', revision: 2, at: 2, reason: 'finished', message: null, model: null, usage: null },
      ]
      const pages = [entries.map((entry) => ({ sessionId: 's', entry }))]
      const runs = { transcripts: { milestones: async () => pages.shift() ?? [] } }
      const deps = {
        db: store.db,
        now: Date.now,
        onEnded: () => {},
        onError: assert.fail,
        readSpending: async () => ({ usd: 0.25, isComplete }),
        decisions: { collect: async () => {} },
      } as unknown as FollowDeps
      const leave = followRuns(deps, { id } as never, () => runs as never)
      const rows = store.db.query.selectFrom('intern_runs').select(['spent_usd']).where('status', '=', 'ended')
      assert.deepEqual(await until(() => rows.executeTakeFirst()), { spent_usd: isComplete ? 0.25 : null })
      leave()
    })

  test('that only its daemon reports has no key, and no account that the daemon chose', async () => {
    await using store = await newDb(kind)
    const { id, storedRuns } = await runningIntern(store, null)
    const budget = { id: 'an account of others', costUsd: 1, costOf: 'max_cost_usd' }
    const entry = { type: 'prompt', runId: 'r', revision: 1, at: 1, by: 'u', text: 'hello', budget }
    const pages = [[{ sessionId: 's', entry }]]
    const runs = { transcripts: { milestones: async () => pages.shift() ?? [] } }
    const decisions = { collect: async () => {} }
    const readSpending = async () => ({ usd: 0, isComplete: true })
    const deps = { db: store.db, now: Date.now, onError: assert.fail, decisions, readSpending } as unknown as FollowDeps
    const leave = followRuns(deps, { id } as never, () => runs as never)
    const run = await until(async () => (await storedRuns())[0])
    leave()
    assert.deepEqual([run.metered_key, JSON.parse(run.budget ?? '{}').id], [null, undefined])
  })

  test('of a daemon that reports no end is requested at a limited rate', async () => {
    await using store = await newDb(kind)
    const { id } = await runningIntern(store, null)
    const entry = { type: 'prompt', runId: 'r', at: 1, by: 'u', text: 'hello' }
    for (const page of [(revision: number) => [{ sessionId: 's', entry: { ...entry, revision } }], () => []]) {
      const answeredAt: number[] = []
      const milestones = async () => page(answeredAt.push(performance.now()))
      const deps = { db: store.db, now: Date.now, onEnded: assert.fail, onError: assert.fail } as unknown as FollowDeps
      const leave = followRuns(deps, { id } as never, () => ({ transcripts: { milestones } }) as never)
      await until(() => answeredAt.length >= 60)
      leave()
      const passedMs = answeredAt[59]! - answeredAt[0]!
      assert.ok(passedMs >= 850, `60 answers in ${passedMs} ms`)
    }
  })

  test('in the background has the key that started it, also in a concurrent report', async () => {
    await using store = await newDb(kind)
    const { id } = await runningIntern(store, null)
    const started = { sessionId: 's', background: true, startedBy: 'u', startedAt: 1 }
    for (let at = 0; at < 20; at++) {
      const run = { ...started, id: `r${at}` }
      const noted = saveStartedRun(store.db.query, id, { ...run, keyHash: 'key' })
      await Promise.all([noted, saveStartedRun(store.db.query, id, run)])
    }
    const rows = await store.db.query.selectFrom('intern_runs').select(['key_hash', 'background']).execute()
    assert.deepEqual(rows, Array(20).fill({ key_hash: 'key', background: 1 }))
  })

  const endings = [
    ['stopped', null, 'cancelled', 'The intern was stopped.'] as const,
    ['failed', 'It died.', 'severed', 'It died.'] as const,
  ]
  for (const [status, failure, outcome, message] of endings) {
    const stoppedIntern = async (store: Store) => {
      const { id } = await runningIntern(store, null)
      const missing = { status, last_failure_message: failure }
      await store.db.query.updateTable('interns').set(missing).where('id', '=', id).execute()
      const columns = ['status', 'outcome', 'message'] as const
      return { id, started: () => store.db.query.selectFrom('intern_runs').select(columns).executeTakeFirst() }
    }

    test(`that is stored when its intern is already ${status} is stored as ended`, async () => {
      await using store = await newDb(kind)
      const { id, started } = await stoppedIntern(store)
      const run = { id: 'r', sessionId: 's', background: true, startedBy: 'u', startedAt: 1 }
      await storeRun({ db: store.db, now: Date.now }, { cancel: async () => false }, id, run)
      assert.deepEqual(await started(), { status: 'ended', outcome, message })
    })

    test(`that a transcript reports when its intern is already ${status} is stored as ended`, async () => {
      await using store = await newDb(kind)
      const { id, started } = await stoppedIntern(store)
      const entry = { type: 'prompt', runId: 'r', revision: 1, at: 1, by: 'u', text: 'hello' }
      const pages = [[{ sessionId: 's', entry }]]
      const runs = { transcripts: { milestones: async () => pages.shift() ?? [] } }
      const deps = { db: store.db, now: Date.now, onEnded: assert.fail, onError: assert.fail } as unknown as FollowDeps
      const leave = followRuns(deps, { id } as never, () => runs as never)
      assert.deepEqual(await until(started), { status: 'ended', outcome, message })
      leave()
    })
  }

  test('without a budget is stored with its account before its caller has the id', async () => {
    await using store = await newDb(kind)
    const { prompt, storedRuns } = await runningIntern(store, null)
    await prompt()
    const [run] = await storedRuns()
    assert.deepEqual([run?.id, run?.metered_key, Object.keys(JSON.parse(run?.budget ?? ''))], ['r', null, ['id']])
    assert.deepEqual(await store.db.query.selectFrom('announced_turns').selectAll().execute(), [])
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '#identity/accounts/caller.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { InternHosts } from '../hosts/hosts.ts'
import { deleteIntern, provisionIntern, suspendIntern, updateIntern } from '../lifecycle/change-intern.ts'
import { createIntern } from '../lifecycle/create-intern.ts'
import { endRun } from '../runs/end-runs.ts'
import { saveStartedRun } from '../runs/run-store.ts'
import { startWithinBudget } from '../turns/session-budget.ts'
import { countTurn } from '../turns/turn-rate.ts'
import { hasInternKey, issueInternKey } from './intern-key.ts'
import { findIntern, listInterns, toHostlessResponse } from './intern-store.ts'

const at = Date.UTC(2026, 0, 1)
const owner = { organizationId: 'o', workspaceId: 'w', userId: 'u' }
const caller = { ...owner, role: 'admin', keyHash: 'h' } as unknown as Caller
const other = { ...caller, userId: 'v' }

onEachDatabase('interns in the database', (kind) => {
  /** An empty store, its announcements, and a clock that the test sets. */
  async function place() {
    const store = await newDb(kind)
    const { query, signals } = store.db
    const clock = { now: at }
    const texts: string[] = []
    signals.subscribe('intern.changed', (id) => texts.push(id))
    await query.insertInto('organizations').values({ id: 'o', name: 'O', created_at: at }).execute()
    for (const id of ['u', 'v'])
      await query
        .insertInto('users')
        .values({ id, name: id, email: `${id}@localhost`, created_at: at })
        .execute()
    const workspace = { name: 'W', slug: 'w', organization_id: 'o', default_guardrail_id: 'g', created_by: 'u' }
    await query
      .insertInto('workspaces')
      .values({ ...workspace, id: 'w', created_at: at, updated_at: at })
      .execute()
    const deps = { db: store.db, now: () => clock.now, newId: newUuid, vault: createVault(Buffer.alloc(32, 7)) }
    const own = { name: 'here', address: null, labels: [], capacity: 0 }
    const internHosts = new InternHosts({ db: store.db, clock: createLocalClock(deps.now), ownHost: own })
    return {
      deps: { ...deps, internHosts },
      query,
      clock,
      texts,
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  }
  const make = async ({ deps }: { deps: Parameters<typeof createIntern>[0] }, name: string, more: object = {}) =>
    (await createIntern(deps, caller, { name, provision: false, ...more })).intern

  test('a new intern is stopped, has the given fields only, and is announced', async () => {
    await using here = await place()
    const intern = await make(here, 'ada')
    assert.deepEqual(intern, {
      id: intern.id,
      organizationId: 'o',
      workspaceId: 'w',
      creatorUserId: 'u',
      name: 'ada',
      status: 'stopped',
      description: null,
      instructions: null,
      model: null,
      agent: null,
      lastFailureMessage: null,
      progress: null,
      hostname: null,
      home: null,
      tcpAccess: null,
      hostLabels: [],
      movedAt: null,
      asleepSince: null,
      keyHash: null,
      createdAt: at,
      updatedAt: at,
      approvalMode: 'self-drive',
      visibility: 'creator',
      repository: null,
      mcpServers: [],
      webHosts: [],
      budget: null,
    })
    assert.deepEqual([...new Set(here.texts)], [intern.id])
    const describeRow = {
      description: 'D',
      instructions: 'I',
      model: 'm',
      agent: { command: 'a', args: ['b'], env: { C: 'd' } },
    }
    const full = await make(here, 'bob', { ...describeRow, provision: true })
    assert.deepEqual([full.description, full.instructions, full.model, full.agent], Object.values(describeRow))
    assert.equal(full.status, 'queued')
    assert.doesNotMatch(JSON.stringify(toHostlessResponse(full)), /"d"/)
    await assert.rejects(make(here, 'ada'), { kind: 'conflict', message: /The name "ada" is already used/ })
    await assert.rejects(make(here, 'eve', { workspace_id: 'x' }), { kind: 'not_found' })
    assert.equal((await make(here, 'eve', { workspace_id: 'w' })).name, 'eve')
  })

  test('with an idempotency key it is made once, for each user of each workspace', async () => {
    await using here = await place()
    const newIntern = { name: 'ada', provision: false }
    const first = await createIntern(here.deps, caller, newIntern, 'once')
    const replayed = await createIntern(here.deps, caller, newIntern, 'once')
    assert.deepEqual(replayed, { intern: first.intern, replayed: true })
    assert.equal(first.replayed, false)
    assert.equal((await createIntern(here.deps, other, { ...newIntern, name: 'bob' }, 'once')).replayed, false)
    assert.equal((await createIntern(here.deps, caller, { ...newIntern, name: 'bob' }, 'twice')).replayed, false)
    await assert.rejects(createIntern(here.deps, caller, { ...newIntern, name: 'eve' }, 'once'), { kind: 'conflict' })
    assert.equal(new Set(here.texts).size, 3)
  })

  test('a change is stored, announced and recorded; a no-op is not', async () => {
    await using here = await place()
    const [{ id }, bystander] = [await make(here, 'ada'), await make(here, 'bob')]
    here.clock.now = at + 1000
    const changed = await updateIntern(here.deps, caller, 'ada', { description: 'D', model: 'm' })
    assert.deepEqual([changed.id, changed.description, changed.model, changed.updatedAt], [id, 'D', 'm', at + 1000])
    assert.deepEqual(await findIntern(here.deps, caller, bystander.id), bystander)
    here.clock.now = at + 2000
    assert.deepEqual(await updateIntern(here.deps, caller, id, { description: 'D' }), changed)
    assert.deepEqual(await updateIntern(here.deps, caller, id, {}), changed)
    assert.ok(here.texts.includes(id))
    const events = await here.query.selectFrom('audit_events').selectAll().where('target_id', '=', id).execute()
    assert.deepEqual(
      events.map(({ action, target_kind }) => [action, target_kind]),
      [
        ['intern.created', 'intern'],
        ['intern.updated', 'intern'],
      ],
    )
    const describeRow = (json: string | null) => JSON.parse(json!) as { description: unknown; model: unknown }
    const [before, after] = [describeRow(events[1]!.before_json), describeRow(events[1]!.after_json)]
    assert.deepEqual([before.description, before.model, after.description, after.model], [null, null, 'D', 'm'])
    await assert.rejects(updateIntern(here.deps, caller, id, { name: 'bob' }), { kind: 'conflict' })
    await assert.rejects(updateIntern(here.deps, other, id, { name: 'eve' }), { kind: 'not_found' })
  })

  test('a database failure during a change is not a conflict', async () => {
    await using here = await place()
    const { id } = await make(here, 'ada')
    const odd = { name: null as unknown as string }
    await assert.rejects(
      updateIntern(here.deps, caller, id, odd),
      (error: { kind?: string }) => error.kind !== 'conflict',
    )
  })

  test('an intern is provisioned, suspended and deleted from the allowed states', async () => {
    await using here = await place()
    const { id } = await make(here, 'ada')
    const set = (status: string) =>
      here.query
        .updateTable('interns')
        .set({ status, progress: '{"step_number":1}', last_failure_message: 'F' })
        .where('id', '=', id)
        .execute()
    await assert.rejects(suspendIntern(here.deps, caller, id), {
      kind: 'conflict',
      message: 'The intern is stopped; to suspend it, it must be running or failed.',
    })
    const key = await issueInternKey(here.deps, await findIntern(here.deps, caller, id))
    assert.ok(key)
    const queued = await provisionIntern(here.deps, caller, id)
    assert.deepEqual([queued.status, await hasInternKey(here.deps, queued)], ['queued', true])
    await assert.rejects(provisionIntern(here.deps, caller, id), { kind: 'conflict' })
    await set('running')
    const stopped = await suspendIntern(here.deps, caller, id)
    assert.deepEqual([stopped.status, stopped.progress, stopped.lastFailureMessage], ['stopped', null, null])
    assert.deepEqual([stopped.keyHash, await hasInternKey(here.deps, queued)], [null, false])
    await set('failed')
    assert.equal((await provisionIntern(here.deps, caller, id)).status, 'queued')
    await set('destroy_failed')
    assert.equal((await deleteIntern(here.deps, caller, id)).status, 'destroying')
    const actions = await here.query.selectFrom('audit_events').select('action').orderBy('seq').execute()
    assert.deepEqual(
      actions.map(({ action }) => action).filter((action) => action.startsWith('intern.')),
      ['intern.created', 'intern.provisioned', 'intern.suspended', 'intern.provisioned', 'intern.deleted'],
    )
  })

  test('a dedicated key replaces the intern’s previous one only', async () => {
    await using here = await place()
    const [ada, bob] = [await make(here, 'ada'), await make(here, 'bob')]
    assert.equal(await hasInternKey(here.deps, ada), false)
    await issueInternKey(here.deps, ada)
    await issueInternKey(here.deps, bob)
    const first = await findIntern(here.deps, caller, ada.id)
    assert.equal(await hasInternKey(here.deps, first), true)
    await issueInternKey(here.deps, first)
    assert.equal(await hasInternKey(here.deps, first), false)
    assert.equal(await hasInternKey(here.deps, await findIntern(here.deps, caller, ada.id)), true)
    assert.equal(await hasInternKey(here.deps, await findIntern(here.deps, caller, bob.id)), true)
    const keys = await here.query.selectFrom('api_keys').select(['name', 'kind', 'creator_user_id']).execute()
    assert.deepEqual(keys.map(({ name }) => name).sort(), ['Intern ada', 'Intern bob'])
    assert.deepEqual([keys[0]!.kind, keys[0]!.creator_user_id], ['intern', 'u'])
  })

  test('a list has the caller’s own interns, newest first, by page and state', async () => {
    await using here = await place()
    for (const name of ['a1', 'a2', 'a3', 'a4']) {
      if (name !== 'a4') here.clock.now++
      await make(here, name, { provision: name === 'a2' })
    }
    const names = async (filter: object) => {
      const { interns, hasMore } = await listInterns(here.deps, caller, { limit: 10, ...filter })
      return [interns.map(({ name }) => name), hasMore]
    }
    const { interns } = await listInterns(here.deps, caller, { limit: 2 })
    const [all] = await names({})
    assert.deepEqual([...(all as string[])].slice(2), ['a2', 'a1'])
    assert.deepEqual(await names({ limit: 2 }), [interns.map(({ name }) => name), true])
    assert.deepEqual(await names({ limit: 4 }), [all, false])
    assert.deepEqual(await names({ startingAfter: interns[0]!.id }), [(all as string[]).slice(1), false])
    assert.deepEqual(await names({ startingAfter: interns[1]!.id }), [['a2', 'a1'], false])
    assert.deepEqual(await names({ statuses: ['queued'] }), [['a2'], false])
    assert.deepEqual((await listInterns(here.deps, other, { limit: 10 })).interns, [])
    await assert.rejects(names({ startingAfter: 'nobody' }), { kind: 'invalid' })
  })

  test('an aborted turn’s pending cost counts for its session', async () => {
    await using here = await place()
    const { db } = here.deps
    const { id } = await make(here, 'ada')
    for (const [outcome, remainingUsd] of [
      ['finished', 0.75],
      ['cancelled', 0.5],
      ['over_budget', 0.5],
    ] as const) {
      const started = { id: outcome, sessionId: outcome, background: false, startedBy: null, startedAt: 1 }
      await saveStartedRun(db.query, id, {
        ...started,
        budget: { costUsd: 1, costOf: 'max_cost_usd' },
        internKey: 'key',
      })
      const end = { outcome, message: null, model: null, usage: null, endedAt: 9, spentUsd: 0.25 }
      await db.exclusively('test', (tx, publish) => endRun(tx, publish, id, outcome, end))
      // Its last request was metered after its end.
      const readSpending = async (...requests: unknown[]) => ({
        usd: requests.join() === 'key,1,9' ? 0.5 : Number.NaN,
        isComplete: true,
      })
      const limits = { sessionId: outcome, promptBudget: undefined }
      const runs = { transcripts: { read: async () => undefined } } as never
      const intern = { id, budget: { session_max_cost_usd: 1 } }
      const allowed = await startWithinBudget({ db, readSpending }, intern, runs, limits, async (given) => given)
      assert.equal(allowed.budget?.costUsd, remainingUsd, outcome)
    }
  })

  test('turns are counted by the minute of the clock, of a user and of an organization', async () => {
    await using here = await place()
    here.clock.now = at + 15_000
    const count = (who: Caller, rates: { user: number; organization: number }) => countTurn(here.deps, who, rates)
    const rates = { user: 2, organization: 3 }
    assert.deepEqual([await count(caller, rates), await count(caller, rates)], [undefined, undefined])
    assert.equal(await count(caller, rates), 45_000)
    assert.equal(await count(other, { user: 2, organization: 4 }), undefined)
    assert.equal(await count(other, { user: 9, organization: 4 }), 45_000)
    here.clock.now = at + 60_000
    assert.equal(await count(caller, rates), undefined)
    const rows = await here.query.selectFrom('turn_counts').selectAll().orderBy('subject').execute()
    assert.deepEqual(
      rows.map(({ subject, turns }) => [subject, turns]),
      [
        ['organization:o', 1],
        ['user:u', 1],
        ['user:v', 2],
      ],
    )
  })
})

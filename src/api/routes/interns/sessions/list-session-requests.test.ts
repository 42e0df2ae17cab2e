import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { createIntern } from '#interns/lifecycle/create-intern.ts'
import { endRun } from '#interns/runs/end-runs.ts'
import { saveStartedRun } from '#interns/runs/run-store.ts'
import { newUuid } from '#platform/core/id.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { generation, caller as sampleCaller } from '#test/harness/records/generations.ts'
import { listInternSessionRequests } from './list-session-requests.ts'

const end = { outcome: 'finished', message: null, model: null, usage: null } as const

async function world(kind: 'sqlite' | 'postgres') {
  const store = await newDb(kind)
  const { db } = store
  const deps = { db, now: Date.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
  await bootstrap(deps)
  const workspace = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const { organization_id: organizationId, id: workspaceId, created_by: userId } = workspace
  const caller = { ...sampleCaller, organizationId, workspaceId, userId }
  const { id: internId } = (await createIntern(deps, caller, { name: 'ada', provision: false })).intern
  const everyRegion = {
    guardrailCache: { policiesOf: async () => ({ guardrails: [] }) },
    gateway: { regionOf: () => 'global' },
  }
  return {
    caller,
    run: async (sessionId: string, id: string, { from, to }: { from: number; to?: number }, ownKey = 'own') => {
      const started = { id, sessionId, background: false, startedBy: null, startedAt: from, internKey: ownKey }
      await saveStartedRun(db.query, internId, started)
      if (to !== undefined)
        await db.exclusively('test', (tx, publish) => endRun(tx, publish, internId, id, { ...end, endedAt: to }))
    },
    request: (id: string, createdAt: number, keyHash = 'own') =>
      writeGenerations(deps, [
        generation({ id, createdAt, caller: { ...caller, keyHash, keyKind: 'intern' }, cost: 1_000_000_000n }),
      ]),
    list: async (
      sessionId: string,
      query: { limit: number; starting_after?: string } = { limit: 100 },
      as = caller,
    ) => {
      const input = { params: { internId: 'ada', sessionId }, query, caller: as }
      return (await listInternSessionRequests.handler(input as never, { ...deps, ...everyRegion } as never)) as any
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

onEachDatabase('model requests of a session', (kind) => {
  test('are those with the own key of each run, in pages, with their total cost', async () => {
    await using fixture = await world(kind)
    await fixture.run('s', 'first', { from: 1000, to: 2000 })
    await fixture.run('s', 'second', { from: 3000 }, 'renewed')
    await fixture.run('other', 'third', { from: 5000, to: 6000 })
    for (const [id, at] of [
      ['a', 1000],
      ['b', 1500],
      ['between', 2500],
      ['late', 5500],
    ] as const)
      await fixture.request(id, at)
    await fixture.request('c', 3500, 'renewed')
    await fixture.request('stranger', 1500, 'another key')
    const { data, has_more } = await fixture.list('s')
    assert.deepEqual(
      data.requests.map((one: any) => [one.id, one.run_id, one.cost_usd, one.is_shared]),
      [
        ['a', 'first', 0.001, false],
        ['b', 'first', 0.001, false],
        ['c', 'second', 0.001, false],
      ],
    )
    assert.deepEqual([data.request_count, data.total_cost_usd, has_more], [3, 0.003, false])
    const page = await fixture.list('s', { limit: 2 })
    assert.deepEqual([page.data.requests.length, page.data.request_count, page.has_more], [2, 3, true])
    const rest = await fixture.list('s', { limit: 2, starting_after: page.next_cursor })
    assert.deepEqual([rest.data.requests.map((one: any) => one.id), rest.has_more], [['c'], false])
  })

  test('are marked if a run of another session was in flight, and hidden from others', async () => {
    await using fixture = await world(kind)
    await fixture.run('s', 'first', { from: 1000, to: 2000 })
    await fixture.run('other', 'second', { from: 1400, to: 1600 })
    for (const [id, at] of [
      ['a', 1100],
      ['b', 1500],
    ] as const)
      await fixture.request(id, at)
    const shared = (await fixture.list('s')).data.requests.map((one: any) => [one.id, one.is_shared])
    assert.deepEqual(shared, [
      ['a', false],
      ['b', true],
    ])
    assert.deepEqual((await fixture.list('nothing')).data, { requests: [], request_count: 0, total_cost_usd: 0 })
    await assert.rejects(
      fixture.list('s', { limit: 1 }, { ...fixture.caller, userId: 'colleague' }),
      /Intern not found/,
    )
  })
})

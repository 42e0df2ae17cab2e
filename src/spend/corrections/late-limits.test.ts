import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { caller as anyCaller, at, generation } from '#test/harness/records/generations.ts'
import { until } from '#test/harness/until.ts'
import { accountId } from '../budgets/account-id.ts'
import type { PersistentBudget, PersistentSubject } from '../budgets/budget.ts'
import { Budgets } from '../budgets/budgets.ts'
import { readChargedSince } from '../budgets/ledger-spending.ts'
import { writeGenerations } from '../metering/write.ts'
import { releaseMatching } from './release.ts'

const usd = 10n ** 12n
const hash = 'late'

/** Creates a key with limits of all kinds: its own, those of two guardrails, and a budget of the workspace. */
async function createLimits(db: Db) {
  const now = () => at
  await bootstrap({ db, now, newId: newUuid })
  const workspace = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const { id: workspaceId, organization_id: organizationId } = workspace
  const owner = await db.query.selectFrom('users').select('id').executeTakeFirstOrThrow()
  const caller = {
    ...anyCaller,
    organizationId,
    workspaceId,
    keyHash: hash,
    userId: owner.id,
    keyKind: 'management' as const,
  }
  const key = await db.query.selectFrom('api_keys').selectAll().executeTakeFirst()
  if (key)
    await db.query
      .insertInto('api_keys')
      .values({ ...key, hash, limit_usd: 100 })
      .execute()
  const groupLimits = [{ by: 'session' }, { by: 'tag', tag_name: 'team' }]
  const guardrail = async (id: string) => {
    const policy = JSON.stringify({ group_limits: groupLimits })
    const times = { created_at: at, updated_at: at }
    await db.query
      .insertInto('guardrails')
      .values({ id, workspace_id: workspaceId, name: id, description: null, policy, ...times })
      .execute()
  }
  await guardrail(workspace.default_guardrail_id)
  const assignedId = newUuid()
  await guardrail(assignedId)
  const target = {
    id: newUuid(),
    guardrail_id: assignedId,
    workspace_id: workspaceId,
    target_kind: 'key',
    target_id: hash,
  }
  await db.query
    .insertInto('guardrail_assignments')
    .values({ ...target, assigned_by: owner.id, created_at: at })
    .execute()
  const pool = { id: newUuid(), organization_id: organizationId, workspace_id: workspaceId, owner_kind: 'workspace' }
  const account = accountId.pool({ kind: 'workspace', id: workspaceId }, 'daily')
  const amounts = { reset_interval: 'daily', limit_usd: 100, include_byok: 0, account, created_at: at, updated_at: at }
  await db.query
    .insertInto('pooled_budgets')
    .values({ ...pool, owner_id: workspaceId, ...amounts })
    .execute()
  return { caller, workspace, assignedId, account }
}

type Created = Awaited<ReturnType<typeof createLimits>>

/** Writes a request that is charged 1 USD, and 5 USD unconfirmed, while it has no limit. */
const writeCharge = (db: Db, { caller }: Created) =>
  writeGenerations({ db }, [
    generation({
      caller,
      cost: usd,
      margin: 5n * usd,
      sessionId: 'session',
      tags: [['team', 'red']],
      chargedBudgets: [],
    }),
  ])

/** The limits that apply to the key of the request. */
function limitsOf({ caller, workspace, assignedId, account }: Created): PersistentBudget[] {
  const { workspaceId, userId } = caller
  const of = (guardrailId: string, isDefault: boolean) => ({ guardrailId, workspaceId, createdAt: at, isDefault })
  const key = { kind: 'key', hash } as const
  const member = { kind: 'member', userId } as const
  const [defaultOne, assigned] = [of(workspace.default_guardrail_id, true), of(assignedId, false)]
  const spenders = [
    { ...defaultOne, spender: member },
    { ...defaultOne, spender: key },
    { ...assigned, spender: key },
  ]
  const groupings = [
    { grouping: { by: 'session' }, value: 'session' },
    { grouping: { by: 'tag', name: 'team' }, value: 'red' },
  ] as const
  const groups = [defaultOne, assigned].flatMap((one) => groupings.map((group) => ({ ...one, ...group })))
  const subjects: [string, PersistentSubject][] = [
    [accountId.key(hash), { kind: 'key', hash }],
    [account, { kind: 'pool', pool: { kind: 'workspace', id: workspaceId }, account, createdAt: at }],
    ...spenders.map((one): [string, PersistentSubject] => [
      accountId.guardrail(one.guardrailId, one.spender),
      { kind: 'guardrail', ...one },
    ]),
    ...groups.map((one): [string, PersistentSubject] => [
      accountId.group(one.guardrailId, one.grouping, one.value),
      { kind: 'group', ...one },
    ]),
  ]
  return subjects.map(([id, subject]) => ({ id, subject, limit: 100n * usd, interval: 'daily', includesByok: false }))
}

const openServer = (db: Db) =>
  new Budgets({
    db,
    clock: createLocalClock(() => at),
    now: () => at,
    newId: newUuid,
    waitUntilWritten: async () => {},
    readChargedSince: (budget, day, query) => readChargedSince({ db: { query } }, budget as PersistentBudget, day),
    onError: assert.fail,
  })

/** Spends nothing, which opens the account of a limit. */
async function openAccount(budgets: Budgets, limit: PersistentBudget): Promise<void> {
  const reserved = await budgets.reserve([limit], 1n)
  if ('reservation' in reserved) reserved.reservation.settle({ cost: 0n, byok: false })
}

const spentOf = async (db: Db) => {
  const rows = await db.query.selectFrom('budget_periods').select(['budget', 'spent_pico']).orderBy('budget').execute()
  return rows.map(({ budget, spent_pico }) => `${budget} ${BigInt(spent_pico) / usd}`)
}

const release = (db: Db, { caller }: Created) => releaseMatching({ db, now: () => at, newId: newUuid }, caller, {})

onEachDatabase('limits that were set after a charge', (kind) => {
  test('get its unconfirmed amount back, once', async () => {
    await using store = await newDb(kind)
    const created = await createLimits(store.db)
    await writeCharge(store.db, created)
    const budgets = openServer(store.db)
    const limits = limitsOf(created)
    for (const limit of limits) await openAccount(budgets, limit)
    const accounts = limits.map(({ id }) => id).toSorted()
    const inOrder = (rows: string[]) => rows.toSorted()
    assert.deepEqual(inOrder(await spentOf(store.db)), inOrder(accounts.map((id) => `${id} 6`)))
    for (let times = 0; times < 2; times++) await release(store.db, created)
    assert.deepEqual(inOrder(await spentOf(store.db)), inOrder(accounts.map((id) => `${id} 1`)))
    await budgets.close()
  })

  test('count it once if their accounts open while it is released', async () => {
    await using store = await newDb(kind)
    const { db } = store
    const created = await createLimits(db)
    for (let round = 0; round < 5; round++) {
      for (const table of ['generations', 'usage_days', 'workspace_days', 'budget_periods', 'budget_leases'] as const)
        await db.query.deleteFrom(table).execute()
      await writeCharge(db, created)
      const servers = Array.from({ length: kind === 'postgres' ? 3 : 1 }, () => openServer(db))
      const limits = limitsOf(created)
      const openings = limits.map((limit, i) => openAccount(servers[i % servers.length]!, limit))
      await Promise.all([...openings, release(db, created)])
      await until(async () => (await spentOf(db)).length === limits.length)
      assert.deepEqual(new Set((await spentOf(db)).map((row) => row.split(' ').at(-1))), new Set(['1']))
      for (const server of servers) await server.close()
    }
  })
})

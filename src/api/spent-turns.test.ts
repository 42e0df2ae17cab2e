import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#accounts/bootstrap.ts'
import { createVault } from '#byok/vault.ts'
import { createIntern } from '#interns/create.ts'
import { beginRun, endRun } from '#interns/run-store.ts'
import { newUuid } from '#lib/id.ts'
import { newDb, onEachDatabase } from '#test/harness/databases.ts'
import { requireUnspent } from './spent-turns.ts'

/** An intern with a turn that may cost a dollar since a second ago. */
async function limitedTurn({ db }: Awaited<ReturnType<typeof newDb>>, meteredKey = 'own') {
  const deps = { db, now: Date.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
  await bootstrap(deps)
  const at = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const caller = {
    organizationId: at.organization_id,
    workspaceId: at.id,
    userId: at.created_by,
    keyHash: 'k',
  } as never
  const { id } = (await createIntern(deps, caller, { name: 'ada', provision: true })).intern
  await db.query.updateTable('interns').set({ key_hash: 'own' }).where('id', '=', id).execute()
  const begun = { id: 'r', sessionId: 's', background: false, startedBy: null, beganAt: 1000, meteredKey }
  await beginRun(db.query, id, { ...begun, budget: { costUsd: 1, costOf: 'max_cost_usd' } })
  const over = { outcome: 'over_budget', message: null, model: null, usage: null, endedAt: 2000 } as const
  return { end: () => db.exclusively('test', (tx, announce) => endRun(tx, announce, id, 'r', over)) }
}

onEachDatabase('a request of an intern whose turn may cost no more than so much', (kind) => {
  for (const [what, costUsd, key, meteredKey] of [
    ['has not cost that', 0.99, 'own', 'own'],
    ['is another intern’s', 9, 'other', 'own'],
    ['was begun with an earlier key', 9, 'own', 'earlier'],
  ] as const)
    test(`begins where the turn ${what}`, async () => {
      await using store = await newDb(kind)
      await limitedTurn(store, meteredKey)
      await requireUnspent({ db: store.db, spent: async () => costUsd })(key)
    })

  test('is held while the turn has cost that, and refused when it was ended, to be tried again for another', async () => {
    await using store = await newDb(kind)
    const { end } = await limitedTurn(store)
    const asked: unknown[] = []
    const spent = async (...about: unknown[]) => {
      asked.push(about)
      if (asked.length === 3) await end()
      return 1
    }
    await assert.rejects(requireUnspent({ db: store.db, spent }, 600_000)('own'), { kind: 'rate_limited' })
    assert.deepEqual(asked, Array(3).fill(['own', 1000]))
  })

  test('is refused where nobody ends the turn', async () => {
    await using store = await newDb(kind)
    await limitedTurn(store)
    const refused = requireUnspent({ db: store.db, spent: async () => 1 }, 1)('own')
    await assert.rejects(refused, {
      kind: 'forbidden',
      message: 'A turn of the intern has cost the 1 USD that it may.',
    })
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { bootstrap } from '../accounts/bootstrap.ts'
import { type AuditFilter, listChanges, recordChange } from './audit.ts'

const at = Date.parse('2026-11-01T00:00:00Z')
const newId = () => crypto.randomUUID()

/** An organization whose audit log has `count` changes, one per minute, after the two of the first start. */
async function newTrail(db: Db, count: number) {
  await bootstrap({ db, newId, now: () => at - 60_000 })
  const { id: organizationId } = await db.query.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const add = (n: number, minute = n) =>
    db.exclusively('audit', (tx) =>
      recordChange(
        { newId, now: () => at + minute * 60_000 },
        tx,
        { organizationId, userId: 'u', keyHash: 'k' },
        {
          action: 'preset.updated',
          targetKind: 'preset',
          targetId: `preset ${n}`,
          before: { n: n - 1 },
          after: { n },
        },
      ),
    )
  for (let n = 0; n < count; n++) await add(n)
  const list = async (filter: Partial<AuditFilter> = {}, organization = organizationId) => {
    const page = await listChanges(
      { db },
      { organizationId: organization, workspaceId: '', isWorkspaceScoped: false },
      { offset: 0, limit: 100, ...filter },
    )
    return { ...page, targets: page.data.map((event) => event.target.id) }
  }
  return { add, list }
}

onEachDatabase('the audit log', (kind) => {
  test('an event says who, when, what, before and after', async () => {
    await using store = await newDb(kind)
    const { list } = await newTrail(store.db, 1)
    const { id, ...event } = (await list({ target_kind: 'preset' })).data[0]!
    assert.deepEqual(event, {
      at: '2026-11-01T00:00:00.000Z',
      actor: { user_id: 'u', key_hash: 'k', session_id: null },
      action: 'preset.updated',
      target: { kind: 'preset', id: 'preset 0' },
      before: { n: -1 },
      after: { n: 0 },
    })
  })

  test('the database itself refuses to change or remove an event', async () => {
    await using store = await newDb(kind)
    const { list } = await newTrail(store.db, 2)
    for (const tampering of ["update audit_events set actor_user_id = 'nobody'", 'delete from audit_events']) {
      await assert.rejects(sql.raw(tampering).execute(store.db.query), /audit_events is append-only/)
    }
    if (kind === 'postgres') {
      await assert.rejects(sql`truncate audit_events`.execute(store.db.query), /audit_events is append-only/)
    }
    assert.equal((await list()).total_count, 4)
  })

  test('from is inclusive and to is exclusive', async () => {
    await using store = await newDb(kind)
    const { list } = await newTrail(store.db, 5)
    const between = await list({ from: '2026-11-01T00:01:00Z', to: '2026-11-01T01:03:00+01:00' })
    assert.deepEqual(between.targets, ['preset 2', 'preset 1'])
  })

  test('events of one millisecond are listed in the order in which they happened', async () => {
    await using store = await newDb(kind)
    const { add, list } = await newTrail(store.db, 0)
    for (let n = 0; n < 9; n++) await add(n, 0)
    const { targets } = await list({ target_kind: 'preset' })
    assert.deepEqual(
      targets,
      [8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `preset ${n}`),
    )
  })

  test('the next page is not affected by new events', async () => {
    await using store = await newDb(kind)
    const { add, list } = await newTrail(store.db, 4)
    const first = await list({ limit: 2 })
    await add(4)
    const next = await list({ limit: 2, starting_after: first.data[1]!.id })
    assert.deepEqual([...first.targets, ...next.targets], ['preset 3', 'preset 2', 'preset 1', 'preset 0'])
  })

  test('another organization sees no event and no position', async () => {
    await using store = await newDb(kind)
    const { list } = await newTrail(store.db, 1)
    const { data } = await list()
    assert.deepEqual((await list({}, 'another')).data, [])
    await assert.rejects(list({ starting_after: data[0]!.id }, 'another'), /starting_after: event not found/)
  })
})

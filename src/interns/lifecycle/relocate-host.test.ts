import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { InternHosts } from '../hosts/hosts.ts'
import { createIntern } from './create-intern.ts'
import { giveUpHost, moveHost } from './relocate-host.ts'

const count = 6

onEachDatabase('all interns of a host that is gone', (kind) => {
  test('are each relocated, reported and recorded once for concurrent calls', async () => {
    await using store = await newDb(kind)
    const { db } = store
    const deps = { db, now: Date.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
    await bootstrap(deps)
    const at = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
    const caller = { organizationId: at.organization_id, workspaceId: at.id, userId: at.created_by, keyHash: 'k' }
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const { intern } = await createIntern(deps, caller as never, { name: `i${n}`, provision: false })
      ids.push(intern.id)
    }
    await db.query.updateTable('interns').set({ hostname: 'lost', status: 'failed' }).execute()
    // Two servers, each with a separate view of the hosts.
    const serverOn = (name: string) => {
      const own = { name, address: null, labels: [], capacity: 0 }
      return { ...deps, internHosts: new InternHosts({ db, clock: createLocalClock(deps.now), ownHost: own }) }
    }
    const [a, b] = [serverOn('a'), serverOn('b')]
    await Promise.all([a.internHosts.renew(), b.internHosts.renew()])
    const [moved, givenUp] = await Promise.all([
      moveHost(a, caller as Caller, 'lost', 'a'),
      giveUpHost(b, caller as Caller, 'lost'),
    ])
    assert.deepEqual([...moved, ...givenUp].map(({ id }) => id).sort(), [...ids].sort())
    const rows = await db.query.selectFrom('interns').select(['id', 'hostname']).execute()
    const on = (host: string | null) => rows.filter(({ hostname }) => hostname === host).map(({ id }) => id)
    assert.deepEqual(on('a').sort(), moved.map(({ id }) => id).sort())
    assert.deepEqual(on(null).sort(), givenUp.map(({ id }) => id).sort())
    const answers = await db.query
      .selectFrom('audit_events')
      .where('action', 'in', ['intern.moved', 'intern.given_up'])
      .select(['action', 'target_id'])
      .execute()
    const expected = [
      ...moved.map(({ id }) => `intern.moved ${id}`),
      ...givenUp.map(({ id }) => `intern.given_up ${id}`),
    ]
    assert.deepEqual(answers.map((event) => `${event.action} ${event.target_id}`).sort(), expected.sort())
  })
})

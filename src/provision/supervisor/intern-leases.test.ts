import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { toIntern } from '#interns/registry/intern-store.ts'
import { openDb } from '#platform/db/open.ts'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { InternLeases } from './intern-leases.ts'

onEachDatabase('InternLeases', (kind) => {
  test('remove deletes only an intern in the state destroying', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    await using db = await openDb(service.testStore.settings).then((open) =>
      Object.assign(open, { [Symbol.asyncDispose]: () => open.close() }),
    )
    const leases = new InternLeases({ db, now: Date.now, server: 'another', host: hostname() })
    const row = () => db.query.selectFrom('interns').where('id', '=', id).selectAll().executeTakeFirst()
    const intern = toIntern((await row())!)
    const become = (status: string) => db.query.updateTable('interns').set({ status }).where('id', '=', id).execute()
    // The service does nothing in these states.
    for (const status of ['stopped', 'failed', 'destroy_failed']) {
      await become(status)
      await leases.remove(intern)
      assert.equal((await row())?.status, status)
    }
    await become('destroying')
    await leases.remove(intern)
    assert.equal(await row(), undefined)
  })
})

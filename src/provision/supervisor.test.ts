import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#accounts/bootstrap.ts'
import { createVault } from '#byok/vault.ts'
import { clockOf } from '#db/clock.ts'
import { createIntern } from '#interns/create.ts'
import { InternHosts } from '#interns/hosts.ts'
import { newUuid } from '#lib/id.ts'
import { newDb, onEachDatabase } from '#test/harness/databases.ts'
import { until } from '#test/harness/until.ts'
import type { Provisioner } from './provisioner.ts'
import { Supervisor } from './supervisor.ts'

onEachDatabase('a start that takes long', (kind) => {
  test('is not taken over by another server meanwhile: the lease is renewed', async () => {
    await using store = await newDb(kind)
    const clock = { now: Date.parse('2026-11-01T00:00:00Z') }
    const deps = { db: store.db, now: () => clock.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
    await bootstrap(deps)
    const at = await store.db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
    const caller = { organizationId: at.organization_id, workspaceId: at.id, userId: at.created_by, keyHash: 'k' }
    const { intern } = await createIntern(deps, caller as never, { name: 'ada', provision: true })
    const started = Promise.withResolvers<void>()
    const provisioner = {
      placeOf: () => ({ hostname: 'here', home: '/nowhere' }),
      endStrangers: async () => {},
      ...{
        secretOf: async () => undefined,
        start: () => started.promise.then(() => undefined),
        stop: async () => started.resolve(),
        leave: async () => started.resolve(),
      },
      watch: () => () => {},
    } as unknown as Provisioner
    const own = { name: 'here', address: null, labels: [], capacity: 0 }
    const hosts = new InternHosts({ db: store.db, clock: clockOf(deps.now), own })
    const around = { ...deps, provisioner, hosts, sealAccess: assert.fail }
    const supervisor = new Supervisor({
      ...{ ...around, server: 's', keepRunning: false, idleMs: 0, onError: assert.fail },
      follow: () => () => {},
    })
    const row = () => store.db.query.selectFrom('interns').where('id', '=', intern.id).selectAll().executeTakeFirst()
    await supervisor.start()
    await until(async () => (await row())?.status === 'provisioning')
    clock.now += 600_000
    await until(async () => (await row())!.supervised_until > clock.now)
    await supervisor.stop()
  })
})

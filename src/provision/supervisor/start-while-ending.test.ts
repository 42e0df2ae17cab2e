import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { InternHosts } from '#interns/hosts/hosts.ts'
import { createIntern } from '#interns/lifecycle/create-intern.ts'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import type { Provisioner } from './provisioner.ts'
import { Supervisor } from './supervisor.ts'

onEachDatabase('an intern that is restarted while its processes end', (kind) => {
  for (const [what, status] of [
    ['when it falls asleep', { status: 'running', asleep_since: 1 }],
    ['when it is suspended', { status: 'stopped' }],
  ] as const)
    test(`starts after they have ended, ${what}, on no other server before`, async () => {
      await using store = await newDb(kind)
      const events: string[] = []
      const ending = Promise.withResolvers<void>()
      const { db, id, stop } = await startTwo(store, events, ending.promise)
      const becomes = (set: object) =>
        db.exclusively(`intern:${id}`, async (tx, publish) => {
          await tx.updateTable('interns').set(set).where('id', '=', id).execute()
          publish('intern.changed', id)
        })
      await becomes(status)
      await until(() => events.includes('ends'))
      await becomes({ status: 'queued' })
      // The other server is notified immediately, and reads the database every second.
      await sleep(1500)
      assert.deepEqual(events, ['start', 'ends'])
      ending.resolve()
      await until(() => events.length === 4)
      assert.deepEqual(events, ['start', 'ends', 'ended', 'start'])
      await stop()
    })
})

type Store = Awaited<ReturnType<typeof newDb>>

/** Two servers of one host, and an intern that one of them has started. Its processes end when `ending` resolves. */
async function startTwo({ db }: Store, events: string[], ending: Promise<void>) {
  const deps = { db, now: Date.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
  await bootstrap(deps)
  const at = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const caller = { organizationId: at.organization_id, workspaceId: at.id, userId: at.created_by, keyHash: 'k' }
  const provisioner = {
    locationOf: () => ({ hostname: 'here', home: '/nowhere' }),
    endForeignDaemons: async () => {},
    serveStorage: async () => undefined,
    secretOf: async () => undefined,
    watch: () => () => {},
    leave: async () => {},
    adopt: async () => true,
    runsOf: () => ({ setRules: async () => {} }),
    start: async () => void events.push('start'),
    stop: async () => {
      events.push('ends')
      await ending
      events.push('ended')
    },
  } as unknown as Provisioner
  const own = { name: 'here', address: null, labels: [], capacity: 0 }
  const hosts = new InternHosts({ db, clock: createLocalClock(deps.now), ownHost: own })
  const servers = ['a', 'b'].map(
    (server) =>
      new Supervisor({
        ...deps,
        provisioner,
        hosts,
        sealAccess: assert.fail,
        server,
        keepRunning: true,
        idleMs: 0,
        onError: assert.fail,
        recordRuns: () => () => {},
      }),
  )
  for (const server of servers) await server.start()
  const { intern } = await createIntern(deps, caller as never, { name: 'ada', provision: true })
  const status = async () =>
    (await db.query.selectFrom('interns').where('id', '=', intern.id).select('status').executeTakeFirstOrThrow()).status
  await until(async () => (await status()) === 'running')
  return { db, id: intern.id, stop: () => Promise.all(servers.map((server) => server.stop())) }
}

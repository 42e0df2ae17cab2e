import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { InternHosts } from '#interns/hosts/hosts.ts'
import { createIntern } from '#interns/lifecycle/create-intern.ts'
import { Fault } from '#platform/core/fault.ts'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import { KubernetesError } from '../kubernetes/client/requests.ts'
import type { Provisioner } from './provisioner.ts'
import { Supervisor } from './supervisor.ts'

type Store = Awaited<ReturnType<typeof newDb>>

/** A server that starts one new intern with the given provisioner. */
async function superviseOne(
  { db }: Store,
  clock: { now: number },
  start: Partial<Provisioner>,
  { onError = assert.fail, idleMs = 0 }: { onError?: (error: Error) => void; idleMs?: number } = {},
) {
  const deps = { db, now: () => clock.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
  await bootstrap(deps)
  const at = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const caller = { organizationId: at.organization_id, workspaceId: at.id, userId: at.created_by, keyHash: 'k' }
  const { intern } = await createIntern(deps, caller as never, { name: 'ada', provision: true })
  const provisioner = {
    locationOf: () => ({ hostname: 'here', home: '/nowhere' }),
    endForeignDaemons: async () => {},
    serveStorage: async () => undefined,
    secretOf: async () => undefined,
    watch: () => () => {},
    // There is one more pass while the server stops.
    adopt: async () => true,
    stop: async () => {},
    leave: async () => {},
    runsOf: () => ({ setRules: async () => {} }),
    ...start,
  } as unknown as Provisioner
  const own = { name: 'here', address: null, labels: [], capacity: 0 }
  const hosts = new InternHosts({ db, clock: createLocalClock(deps.now), ownHost: own })
  const supervisor = new Supervisor({
    ...deps,
    provisioner,
    hosts,
    sealAccess: assert.fail,
    server: 's',
    keepRunning: false,
    idleMs,
    onError,
    recordRuns: () => () => {},
  })
  const row = () => db.query.selectFrom('interns').where('id', '=', intern.id).selectAll().executeTakeFirstOrThrow()
  await supervisor.start()
  const changed = () => db.exclusively('test', async (_tx, publish) => publish('intern.changed', intern.id))
  return { row, changed, stop: () => supervisor.stop() }
}

onEachDatabase('a long start', (kind) => {
  test('keeps its lease', async () => {
    await using store = await newDb(kind)
    const clock = { now: Date.parse('2026-11-01T00:00:00Z') }
    const started = Promise.withResolvers<void>()
    const { row, stop } = await superviseOne(store, clock, {
      start: () => started.promise.then(() => undefined),
      stop: async () => started.resolve(),
      leave: async () => started.resolve(),
    })
    await until(async () => (await row()).status === 'provisioning')
    clock.now += 600_000
    await until(async () => (await row()).supervised_until > clock.now)
    await stop()
  })
})

onEachDatabase('a daemon that does not accept its rules after its start', (kind) => {
  test('is ended before the start fails', async () => {
    await using store = await newDb(kind)
    const clock = { now: Date.parse('2026-11-01T00:00:00Z') }
    const statusesAtStop: Promise<string>[] = []
    const started = Promise.withResolvers<() => Promise<string>>()
    const { row, stop } = await superviseOne(store, clock, {
      start: async () => undefined,
      stop: async () => void statusesAtStop.push((await started.promise)()),
      runsOf: () => ({ setRules: () => Promise.reject(new Error('unknown field')) }) as never,
    })
    started.resolve(async () => (await row()).status)
    await until(async () => (await row()).status === 'failed')
    assert.deepEqual(await Promise.all(statusesAtStop), ['provisioning'])
    assert.equal((await row()).supervisor, null)
    await stop()
  })
})

onEachDatabase('a start with a long clone', (kind) => {
  for (const status of ['stopped', 'destroying'] as const)
    test(`is aborted when the intern is ${status}`, async () => {
      await using store = await newDb(kind)
      const clone = Promise.withResolvers<undefined>()
      // It can be aborted before it is awaited.
      clone.promise.catch(() => {})
      const ended = Promise.withResolvers<string>()
      const { row, changed, stop } = await superviseOne(
        store,
        { now: Date.now() },
        {
          start: () => clone.promise,
          leave: async () => clone.reject(new Error('It was aborted.')),
          stop: async () => ended.resolve('stopped'),
          destroy: async () => ended.resolve('destroying'),
        },
      )
      await until(async () => (await row()).status === 'provisioning')
      await store.db.query.updateTable('interns').set({ status }).execute()
      await changed()
      assert.equal(await ended.promise, status)
      await stop()
    })
})

onEachDatabase('a server that stops before it starts an intern', (kind) => {
  test('does not start it', async () => {
    await using store = await newDb(kind)
    const [requested, leaving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const secretOf = async () => {
      requested.resolve()
      await leaving.promise
      return undefined
    }
    const leave = async () => leaving.resolve()
    let starts = 0
    const start = async () => void starts++
    const { row, stop } = await superviseOne(store, { now: Date.now() }, { secretOf, leave, start })
    await requested.promise
    await stop()
    assert.deepEqual([(await row()).status, starts], ['queued', 0])
  })
})

onEachDatabase('a server that stops during a query', (kind) => {
  const skip = kind === 'sqlite' && 'its only connection is in use, so that a stop waits in any case'
  for (const signal of ['intern.changed', 'rules.changed'] as const)
    test(`after ${signal} ends after the answer of the database`, { skip }, async () => {
      await using store = await newDb(kind)
      const [queried, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let isNext = false
      const query = store.db.query.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          if (!isNext) return result
          isNext = false
          queried.resolve()
          await answered.promise
          return result
        },
      })
      const start = () => Promise.reject(new Error('The agent is not configured.'))
      const { row, stop } = await superviseOne({ ...store, db: { ...store.db, query } }, { now: Date.now() }, { start })
      const { id } = await until(async () => (await row()).status === 'failed' && row())
      isNext = true
      await store.db.exclusively('test', async (_tx, publish) => publish(signal, id))
      await queried.promise
      const events: string[] = []
      const stopped = stop().then(() => events.push('stopped'))
      // Long enough for a stop that does not wait for the answer.
      await sleep(300)
      events.push('answered')
      answered.resolve()
      await stopped
      assert.deepEqual(events, ['answered', 'stopped'])
    })
})

onEachDatabase('a first start that fails', (kind) => {
  const failing = async (why: Error, times: number, look: (starts: number, row: object) => boolean) => {
    await using store = await newDb(kind)
    let starts = 0
    const start = async () => {
      if (++starts <= times) throw why
      return undefined
    }
    const { row, stop } = await superviseOne(store, { now: Date.now() }, { start })
    const seen = await until(async () => {
      const found = await row()
      return look(starts, found) && found
    })
    await stop()
    return { ...seen, starts }
  }
  const busy = Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' })
  for (const [what, why] of [
    ['for lack of a process', new Error('The daemon could not be started.', { cause: busy })],
    ['because it took too long', new Fault('unavailable', 'The daemon did not answer.')],
    ['while the cluster is unreachable', new KubernetesError('The Kubernetes API server does not respond.')],
  ] as const)
    test(`${what} is retried until it succeeds`, async () => {
      const { starts } = await failing(why, 2, (_, row) => 'status' in row && row.status === 'running')
      assert.equal(starts, 3)
    })

  for (const [what, why] of [
    ['permanently', new Error('The agent is not configured.')],
    ['because the cluster refuses it', new KubernetesError('The Kubernetes API server refuses.', 403)],
  ] as const)
    test(`${what} is reported and not retried`, async () => {
      const failed = await failing(why, 9, (_, row) => 'status' in row && row.status === 'failed')
      assert.deepEqual([failed.supervisor, failed.last_failure_message, failed.starts], [null, why.message, 1])
    })
})

onEachDatabase('a daemon that ends while the database does not answer', (kind) => {
  /** An intern whose daemon ends; after that some writes fail. */
  const endUnwritten = async (failing: number[]) => {
    await using store = await newDb(kind)
    let [writes, starts, isAlive] = [Number.NEGATIVE_INFINITY, 0, false]
    let reportEnd: ((reason: string) => void) | undefined
    const exclusively: typeof store.db.exclusively = (name, work) =>
      failing.includes(++writes)
        ? Promise.reject(new Error('The database does not respond.'))
        : store.db.exclusively(name, work)
    const provisioner = {
      start: async () => {
        starts++
        isAlive = true
        return undefined
      },
      adopt: async () => isAlive,
      watch: (_: unknown, onEnd: (reason: string) => void) => {
        reportEnd = onEnd
        return () => {}
      },
    }
    const { row, stop } = await superviseOne(
      { ...store, db: { ...store.db, exclusively } },
      { now: Date.now() },
      provisioner,
      { onError: () => {} },
    )
    // The row is written before the daemon is watched.
    const report = await until(async () => (await row()).status === 'running' && reportEnd)
    writes = 0
    isAlive = false
    report('It was killed.')
    await until(async () => starts === 2 && (await row()).status === 'running')
    await stop()
  }
  for (const [what, failing] of [
    ['and its end is not written', [1]],
    ['and its end is not written twice', [1, 2]],
    ['and its restart is not written', [2]],
  ] as const)
    test(`${what}, is restarted`, () => endUnwritten([...failing]))
})

onEachDatabase('an intern that falls asleep', (kind) => {
  test('does not fail in concurrent passes', async () => {
    await using store = await newDb(kind)
    // A resting daemon reports that, and is not adopted.
    const runs = { setRules: async () => {}, drain: async () => 0 }
    const resting = { start: async () => undefined, adopt: async () => false, runsOf: () => runs as never }
    for (let round = 0; round < 10; round++) {
      await store.db.query.deleteFrom('interns').execute()
      const { row, changed, stop } = await superviseOne(store, { now: Date.now() }, resting, { idleMs: 1 })
      while ((await row()).asleep_since === null) await Promise.all([changed(), changed(), changed()])
      assert.equal((await row()).status, 'running')
      await stop()
    }
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { memoryDb } from '#test/harness/database/memory-db.ts'
import { Refusal } from '../contract/refusal.ts'
import { createUnknownHost } from '../hosts/hosts.ts'
import { findInternById } from '../registry/intern-store.ts'
import { createIntern } from './create-intern.ts'
import { withAwakeIntern } from './wake-intern.ts'

const idleMs = 1000

/** An intern that runs since 1000, and what the test requests of it at 2000. */
async function intern() {
  const db = await memoryDb()
  const time = { now: 1000 }
  const deps = { db, now: () => time.now, newId: newUuid, vault: createVault(Buffer.alloc(32)) }
  await bootstrap(deps)
  const at = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const owner = { organizationId: at.organization_id, workspaceId: at.id, userId: at.created_by, keyHash: 'k' }
  const { id } = (await createIntern(deps, owner as never, { name: 'ada', provision: true })).intern
  type State = {
    status?: 'running' | 'queued' | 'provisioning'
    hostname?: string
    asleep_since?: number | null
    updated_at?: number
  }
  const set = async (state: State) =>
    void (await db.query.updateTable('interns').set(state).where('id', '=', id).execute())
  const wake = () => set({ status: 'running', asleep_since: null, updated_at: time.now })
  await wake()
  time.now = 2000
  const hosts = {
    findLoss: async (hostname: string | null) => (hostname === null ? null : createUnknownHost(hostname).loss),
  }
  // A start by another caller finds it running.
  let looks = 0
  const query = new Proxy(db.query, {
    get(target, name) {
      if (name === 'selectFrom') looks++
      const found = Reflect.get(target, name) as unknown
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  const woken: Db = { ...db, query, exclusively: (name, work) => db.exclusively(name, work).finally(wake) }
  const leaving = new AbortController()
  return {
    wake,
    moveTo: (hostname: string, status: 'queued' | 'provisioning') => set({ hostname, status }),
    fallAsleep: (since: number) => set({ asleep_since: since, updated_at: since }),
    /** The outcome of each attempt, in order. */
    ask: async (...tries: (() => Promise<unknown>)[]) => {
      const found = (await findInternById(db.query, id))!
      return withAwakeIntern({ ...deps, db: woken, hosts, idleMs }, found, leaving.signal, async () => tries.shift()!())
    },
    /** The caller disconnects. */
    leave: () => leaving.abort(),
    looks: () => looks,
    publish: () => db.exclusively('x', async (_, publish) => publish('intern.changed', id)),
    [Symbol.asyncDispose]: () => db.close(),
  }
}

const refused = (kind: 'intern_unreachable' | 'intern_asleep' | 'stream_severed') =>
  Promise.reject(new Refusal(kind, 'gone'))

test('a prompt that never reached an intern wakes it, however long it was on its way', async () => {
  await using at = await intern()
  for (const kind of ['intern_unreachable', 'intern_asleep'] as const) {
    const late = async () => {
      await at.fallAsleep(2000 + 10 * idleMs)
      return refused(kind)
    }
    assert.equal(await at.ask(late, async () => 'said'), 'said', kind)
  }
})

test('a prompt that arrives at the end of a daemon goes to the next daemon', async () => {
  await using at = await intern()
  const woken = async () => {
    await at.wake()
    return refused('intern_unreachable')
  }
  assert.equal(await at.ask(woken, async () => 'said'), 'said')
})

test('a prompt that possibly started is not sent twice', async () => {
  await using at = await intern()
  const severAfterStart = async () => {
    await at.fallAsleep(2000 + idleMs)
    return refused('stream_severed')
  }
  await assert.rejects(at.ask(severAfterStart), { kind: 'stream_severed' })
  await using other = await intern()
  const early = async () => {
    await other.fallAsleep(2000 + idleMs - 1)
    return refused('stream_severed')
  }
  assert.equal(await other.ask(early, async () => 'said'), 'said')
})

test('an unreachable running intern is not retried', async () => {
  await using at = await intern()
  await assert.rejects(
    at.ask(() => refused('intern_unreachable')),
    { kind: 'intern_unreachable' },
  )
})

test('a prompt that waits for an intern to fall asleep reads it when that is announced', async () => {
  await using at = await intern()
  const sleepy = async () => {
    setTimeout(() => void at.fallAsleep(2000).then(at.publish), 100)
    return refused('intern_asleep')
  }
  assert.equal(await at.ask(sleepy, async () => 'said'), 'said')
  assert.ok(at.looks() < 15, `${at.looks()} reads`)
})

test('a caller who leaves does not wait until an intern sleeps', async () => {
  await using at = await intern()
  const since = performance.now()
  const leave = async () => {
    at.leave()
    return refused('intern_asleep')
  }
  await assert.rejects(at.ask(leave), { kind: 'intern_asleep' })
  assert.ok(performance.now() - since < 20_000)
})

test('an intern that waits for a host of another name is refused with host_gone', async () => {
  await using at = await intern()
  for (const status of ['queued', 'provisioning'] as const) {
    await at.moveTo('old-name', status)
    await assert.rejects(
      at.ask(async () => 'started'),
      { kind: 'host_gone', message: 'The host old-name is unknown.' },
    )
  }
})

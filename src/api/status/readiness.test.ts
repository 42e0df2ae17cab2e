import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReadiness, type ReadinessDeps } from './readiness.ts'

type World = {
  isReachable: boolean
  silentMs: number
  readOnly: boolean
  hasRoom: boolean
  staleMs: number
  leaving: string | undefined
}
const healthy: World = {
  isReachable: true,
  silentMs: 100,
  readOnly: false,
  hasRoom: true,
  staleMs: 0,
  leaving: undefined,
}

function readinessOf(world: Partial<World>) {
  const { hasRoom, staleMs, leaving, ...database } = { ...healthy, ...world }
  return createReadiness({
    db: { health: () => ({ ...database, used: 0, idle: 0, waiting: 0 }) } as ReadinessDeps['db'],
    ledger: { hasRoom: () => hasRoom, backlog: () => ({ memory: { waiting: 0 }, files: { waiting: 0 } }) as never },
    config: { stale_keys_ms: staleMs, stale_limits: 'refuse' },
    modelCount: () => 1,
    stopReason: () => leaving,
  })
}

for (const [name, world, problem] of [
  ['a healthy server', {}, undefined],
  ['a database that is silent, but not for too long', { silentMs: 4000 }, undefined],
  ['an unreachable database', { isReachable: false, silentMs: 6000 }, /not responded for 6 s: keys cannot be checked/],
  ['an unreachable database while cached keys are accepted', { isReachable: false, staleMs: 60_000 }, undefined],
  [
    'an unreachable database after that time',
    { isReachable: false, staleMs: 60_000, silentMs: 61_000 },
    /keys cannot be checked/,
  ],
  ['a read-only database', { readOnly: true }, undefined],
  ['a full ledger', { hasRoom: false }, /requests are refused/],
  ['a drain', { leaving: 'it got SIGTERM' }, /stopping: it got SIGTERM/],
] as const)
  test(`readiness with ${name}: ${problem ? 'not ready' : 'ready'}`, () => {
    const found = readinessOf(world).problem()
    if (problem) assert.match(found ?? '', problem)
    else assert.equal(found, undefined)
  })

test('the report names degraded parts while the server is ready', () => {
  const { checks } = readinessOf({ isReachable: false, staleMs: 60_000, silentMs: 10_000 })
  assert.deepEqual(checks().database, {
    status: 'degraded',
    message:
      'The database has not responded for 10 s. Cached keys are accepted for another 50 s, no requests under a limit.',
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../harness/until.ts'
import { idleMeter } from './idle-time.ts'
import { type JobResult, runJobs } from './run-jobs.ts'

const job = (name: string) => ({ name, files: [] })

test('runJobs starts jobs in order, the minimum at once, the next when one ends', async () => {
  const pending = new Map<string, PromiseWithResolvers<JobResult>>()
  const started: string[] = []
  const results = runJobs(['a', 'b', 'c'].map(job), { minRunning: 2, maxRunning: 2 }, ({ name }) => {
    started.push(name)
    pending.set(name, Promise.withResolvers())
    return pending.get(name)!.promise
  })
  const end = (name: string) => pending.get(name)!.resolve({ name, passed: name !== 'b', seconds: 0 })
  assert.deepEqual(started, ['a', 'b'])
  end('b')
  await until(() => started.length === 3)
  assert.deepEqual(started, ['a', 'b', 'c'])
  end('c')
  end('a')
  assert.deepEqual(
    (await results).map(({ name, passed }) => [name, passed]),
    [
      ['b', false],
      ['c', true],
      ['a', true],
    ],
  )
})

test('the idle meter returns the share of idle time since its previous call', () => {
  const times = [
    { idleMs: 100, totalMs: 1000 },
    { idleMs: 150, totalMs: 1100 },
    { idleMs: 150, totalMs: 1300 },
    { idleMs: 150, totalMs: 1300 },
  ]
  const idle = idleMeter(() => times.shift()!)
  assert.deepEqual([idle(), idle(), idle()], [0.5, 0, 0])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '#test/harness/interns/scripted-agent.ts'
import { monitorResources } from './resource-monitor.ts'

const limits = { intern_processes: 0, intern_memory_bytes: 0, intern_disk_bytes: 1024 ** 2, intern_log_bytes: 0 }

test('after a failed measurement an intern is measured again, and ended at its limit', async () => {
  await using home = await newFolder()
  const failures: string[] = []
  const counts = [
    () => Promise.reject(Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })),
    async () => 2 * 1024 ** 2,
  ]
  const intern = { home: home.path, pid: process.pid, uid: undefined, resourceLimits: limits, end: async () => {} }
  const options = { measureDiskUse: () => counts.shift()!(), everyMs: { processes: 60_000, disk: 1 } }
  const { promise: finished, resolve } = Promise.withResolvers<string>()
  monitorResources({ ...intern, ...options, onMeasureError: ({ message }) => failures.push(message) }, resolve)
  const alive = setInterval(() => {}, 1000)
  assert.match(await finished, /^Its files use 2 MiB; at most 1 MiB are allowed/)
  clearInterval(alive)
  assert.deepEqual(failures, ['spawn ENOMEM'])
})

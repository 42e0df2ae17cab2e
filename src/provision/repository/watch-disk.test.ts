import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '#test/harness/interns/scripted-agent.ts'
import { until } from '#test/harness/until.ts'
import { watchDisk } from './watch-disk.ts'

const noProcess = () => Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' })

test('a clone goes on where it cannot be counted, which is told each time, and is ended when it can', async () => {
  await using home = await newFolder()
  const told: Error[] = []
  let bytes: number | undefined
  const count = async () => bytes ?? Promise.reject(noProcess())
  const around = { home: home.path, config: { intern_disk_bytes: 1024 ** 2 }, count, everyMs: 1 }
  const watched = watchDisk({ ...around, uncounted: (error) => told.push(error) })
  await until(() => told.length > 1)
  assert.equal(watched.exceeded.aborted, false)
  bytes = 2 * 1024 ** 2
  await until(() => watched.exceeded.aborted)
  watched.end()
  assert.equal(watched.exceeded.reason.message.split(';')[0], 'Its files take 2 MiB')
})

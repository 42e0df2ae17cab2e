import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '#test/harness/interns/scripted-agent.ts'
import { until } from '#test/harness/until.ts'
import { watchDisk } from './watch-disk.ts'

const noProcess = () => Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' })

test('a clone whose size cannot be measured continues until a measurement succeeds', async () => {
  await using home = await newFolder()
  const failures: Error[] = []
  let bytes: number | undefined
  const count = async () => bytes ?? Promise.reject(noProcess())
  const options = { home: home.path, config: { intern_disk_bytes: 1024 ** 2 }, measureDiskUse: count, everyMs: 1 }
  const watched = watchDisk({ ...options, onMeasureError: (error) => failures.push(error) })
  await until(() => failures.length > 1)
  assert.equal(watched.exceededSignal.aborted, false)
  bytes = 2 * 1024 ** 2
  await until(() => watched.exceededSignal.aborted)
  watched.stop()
  assert.equal(watched.exceededSignal.reason.message.split(';')[0], 'Its files use 2 MiB')
})

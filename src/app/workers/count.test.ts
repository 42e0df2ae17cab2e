import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Settings } from '#platform/config/settings.ts'
import { countWorkers } from './count.ts'

test('defaults to one process; auto leaves a core to the primary; a number is used', () => {
  assert.equal(countWorkers(Settings.parse({}).workers, 16), 1)
  assert.deepEqual(
    [1, 2, 4, 16].map((cores) => countWorkers(Settings.parse({ workers: 'auto' }).workers, cores)),
    [1, 1, 3, 15],
  )
  assert.equal(countWorkers(Settings.parse({ workers: '3' }).workers, 1), 3)
  assert.equal(Settings.safeParse({ workers: '0' }).success, false)
})

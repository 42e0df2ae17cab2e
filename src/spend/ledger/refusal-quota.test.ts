import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, caller } from '#test/harness/records/generations.ts'
import { RefusalQuota } from './refusal-quota.ts'

const refused = (keyHash: string) => ({ outcome: 'refused' as const, caller: { ...caller, keyHash } })

test('ten refused requests per key and second are stored', () => {
  const quota = new RefusalQuota()
  const isStored = (keyHash: string, now: number) =>
    Array.from({ length: 30 }, () => quota.admits(refused(keyHash), now)).filter(Boolean).length
  assert.deepEqual(
    [isStored('a', at), isStored('b', at), isStored('a', at + 999), isStored('a', at + 1000)],
    [10, 10, 0, 10],
  )
})

test('a request that was not refused is always kept', () => {
  const quota = new RefusalQuota()
  for (let i = 0; i < 20; i++) assert.ok(quota.admits({ outcome: 'failed', caller }, at))
})

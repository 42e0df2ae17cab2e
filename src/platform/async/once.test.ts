import assert from 'node:assert/strict'
import { test } from 'node:test'
import { once } from './once.ts'

test('is done once, and again only after a promise that was rejected', async () => {
  let times = 0
  const counted = once(() => ++times)
  assert.deepEqual([counted(), counted()], [1, 1])

  let tries = 0
  const tried = once(async () => {
    if (++tries === 1) throw new Error('not yet')
    return tries
  })
  await assert.rejects(tried(), /not yet/)
  assert.deepEqual([await tried(), await tried()], [2, 2])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { createLocalLocks } from './local-locks.ts'

const long = 600_000

test('requests for the same lock run in sequence, for different locks in parallel', async () => {
  const inTurn = createLocalLocks(long)
  const startEvents: string[] = []
  const ends = Promise.withResolvers<void>()
  const work = (name: string, until?: Promise<void>) => async () => {
    startEvents.push(name)
    await until
  }
  const all = [inTurn('a', work('a1', ends.promise)), inTurn('a', work('a2')), inTurn('b', work('b1'))]
  await all[2]
  assert.deepEqual(startEvents, ['a1', 'b1'])
  ends.resolve()
  await Promise.all(all)
  assert.deepEqual(startEvents, ['a1', 'b1', 'a2'])
})

test('a waiter that timed out gets an error, and later ones still wait', async () => {
  const inTurn = createLocalLocks(10)
  const ends = Promise.withResolvers<void>()
  let isOver = false
  const first = inTurn('a', () =>
    ends.promise.then(() => {
      isOver = true
    }),
  )
  assert.equal(await inTurn('a', async () => assert.fail('it is not its turn')), undefined)
  const third = inTurn('a', async () => assert.ok(isOver))
  await turnOfLoop()
  ends.resolve()
  await Promise.all([first, third])
})

test('work that fails ends its turn', async () => {
  const inTurn = createLocalLocks(long)
  await assert.rejects(inTurn('a', () => Promise.reject(new Error('no'))))
  assert.deepEqual(await inTurn('a', async () => 1), { result: 1 })
})

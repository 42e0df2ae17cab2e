import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DisconnectController } from '../disconnect-signal.ts'
import { fairLimit } from './fair-limit.ts'

/** Tasks that end when `finish` is called, the names of the started ones, and the outcome of each. */
function limited({ maxWaiting = 8, maxRunning = 1 } = {}) {
  const limit = fairLimit({ maxRunning, maxWaiting, name: 'sums' })
  const started: string[] = []
  const ends: (() => void)[] = []
  const run = (name: string, signal = new DisconnectController()) =>
    limit({ workspaceId: name[0]!, keyHash: name.slice(0, 2) }, signal, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    }).then(
      () => 'done',
      (error) => error.kind,
    )
  const finish = async () => {
    ends.shift()!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { run, started, finish }
}

test('one task runs at a time; workspaces take turns, and keys within a workspace', async () => {
  const { run, started, finish } = limited()
  const all = ['a1x', 'a1y', 'a1z', 'a2x', 'b1x'].map((name) => run(name))
  for (const count of [1, 2, 3, 4, 5]) {
    assert.equal(started.length, count)
    await finish()
  }
  assert.deepEqual(started, ['a1x', 'a1y', 'b1x', 'a2x', 'a1z'])
  assert.deepEqual(await Promise.all(all), Array(5).fill('done'))
})

test('a task whose client leaves gives up its place, also after it waited for none', async () => {
  const { run, started, finish } = limited()
  const client = new DisconnectController()
  const [first, left] = [run('a1x'), run('a1y', client)]
  client.abort()
  assert.equal(await left, 'client_closed_request')
  assert.equal(await run('b1x', client), 'client_closed_request')
  await finish()
  assert.deepEqual([await first, started], ['done', ['a1x']])
})

test('a key with too many waiting tasks is refused, others are not', async () => {
  const { run, finish } = limited({ maxWaiting: 2 })
  const accepted = ['a1w', 'a1x', 'a1y'].map((name) => run(name))
  assert.equal(await run('a1z'), 'rate_limited')
  accepted.push(run('a2x'))
  for (let count = 0; count < 4; count++) await finish()
  assert.deepEqual(await Promise.all(accepted), Array(4).fill('done'))
})

test('never more tasks than the limit run, also after all have ended', async () => {
  const { run, started, finish } = limited({ maxRunning: 2 })
  const all = ['a1x', 'a1y', 'a1z', 'b1x'].map((name) => run(name))
  assert.deepEqual(started, ['a1x', 'a1y'])
  await finish()
  assert.deepEqual(started, ['a1x', 'a1y', 'a1z'])
  for (let count = 0; count < 3; count++) await finish()
  all.push(run('c1x'), run('c1y'), run('c1z'))
  assert.deepEqual(started.slice(3), ['b1x', 'c1x', 'c1y'])
  for (let count = 0; count < 3; count++) await finish()
  assert.deepEqual(await Promise.all(all), Array(7).fill('done'))
})

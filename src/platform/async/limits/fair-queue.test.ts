import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

const job = (name: string) => ({ name, requester: { workspaceId: name[0]!, keyHash: name.slice(0, 2) } })

function queueOf(names: string): FairQueue<ReturnType<typeof job>> {
  const queue = new FairQueue<ReturnType<typeof job>>()
  for (const name of names.split(' ')) queue.add(job(name))
  return queue
}

function taken(queue: FairQueue<ReturnType<typeof job>>, canRun = (_: string) => true): string {
  const names = []
  for (let next = queue.take(canRun); next; next = queue.take(canRun)) names.push(next.name)
  return names.join(' ')
}

test('workspaces take turns, and keys take turns within a workspace', () => {
  assert.equal(taken(queueOf('a1x a1y a1z a2x b1x b1y c1x')), 'a1x b1x c1x a2x b1y a1y a1z')
})

test('a workspace that may not run keeps its turn', () => {
  const queue = queueOf('a1x a1y b1x b1y')
  assert.equal(
    taken(queue, (workspace) => workspace !== 'a'),
    'b1x b1y',
  )
  queue.add(job('b1z'))
  assert.equal(taken(queue), 'a1x b1z a1y')
})

test('a removed job is not taken, and removing it again returns false', () => {
  const queue = queueOf('a1x')
  const removed = job('a1y')
  queue.add(removed)
  assert.deepEqual(
    [queue.remove(removed), queue.remove(removed), queue.waitingJobs(removed.requester).length],
    [true, false, 1],
  )
  assert.deepEqual([taken(queue), queue.isEmpty], ['a1x', true])
})

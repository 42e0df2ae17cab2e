import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followed } from './log.ts'

/** What is printed while a log is read so, one time after the other. */
async function printed(first: string[], ...reads: string[][]): Promise<string[]> {
  const said: string[] = []
  const over = new Error('over')
  const read = async () => {
    const lines = reads.shift()
    if (!lines) throw over
    return { lines }
  }
  const all = (async () => {
    for await (const line of followed(first, read, async () => {})) said.push(line)
  })()
  await assert.rejects(all, over)
  return said
}

test('while a log is followed each line is told once, also where what is read of it begins later', async () => {
  assert.deepEqual(await printed(['a', 'b'], ['a', 'b'], ['a', 'b', 'c'], ['b', 'c', 'd', 'e'], ['e', 'f']), [
    ...'cdef',
  ])
})

test('a log that is empty at first, or begins anew, is told from its beginning', async () => {
  assert.deepEqual(await printed([], [], ['a'], ['x', 'y'], ['x', 'y', 'z']), ['a', 'x', 'y', 'z'])
})

test('more is read of it than was at first', async () => {
  assert.deepEqual(await printed(['c', 'd'], ['a', 'b', 'c', 'd', 'e']), ['e'])
})

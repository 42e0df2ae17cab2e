import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followLog } from './log.ts'

/** The lines that `followLog` yields when the log is read with these results, one after the other. */
async function linesAfter(first: string[], ...reads: string[][]): Promise<string[]> {
  const lines: string[] = []
  const end = new Error('no more reads')
  const read = async () => {
    const next = reads.shift()
    if (!next) throw end
    return { lines: next }
  }
  const all = (async () => {
    for await (const line of followLog(first, read, async () => {})) lines.push(line)
  })()
  await assert.rejects(all, end)
  return lines
}

test('followLog yields each line once, also when the log was cut at its start', async () => {
  assert.deepEqual(await linesAfter(['a', 'b'], ['a', 'b'], ['a', 'b', 'c'], ['b', 'c', 'd', 'e'], ['e', 'f']), [
    ...'cdef',
  ])
})

test('followLog yields all lines of a log that was empty or replaced', async () => {
  assert.deepEqual(await linesAfter([], [], ['a'], ['x', 'y'], ['x', 'y', 'z']), ['a', 'x', 'y', 'z'])
})

test('followLog yields only new lines when a later read returns more lines', async () => {
  assert.deepEqual(await linesAfter(['c', 'd'], ['a', 'b', 'c', 'd', 'e']), ['e'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserFacingError } from '#platform/core/fault.ts'
import { ServiceError } from '../../kit/api-client.ts'
import { followLog } from './log.ts'

/** The lines that `followLog` yields when reads of the log have these results, and the messages of its errors. */
async function follow(first: string[], reads: (string[] | Error)[]) {
  const lines: string[] = []
  const messages: string[] = []
  const end = new Error('no more reads')
  const read = async () => {
    const next = reads.shift()
    if (!next) throw end
    if (next instanceof Error) throw next
    return { lines: next }
  }
  const all = (async () => {
    const source = { read, pause: async () => {}, onError: (message: string) => messages.push(message) }
    for await (const line of followLog(first, source)) lines.push(line)
  })()
  await assert.rejects(all, end)
  return { lines, messages }
}

const linesAfter = async (first: string[], ...reads: string[][]) => (await follow(first, reads)).lines

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

test('followLog yields a new line that equals the last printed lines', async () => {
  assert.deepEqual(await linesAfter(['retry'], ['retry', 'retry'], ['retry', 'retry', 'a', 'retry', 'retry']), [
    'retry',
    ...['a', 'retry', 'retry'],
  ])
})

test('followLog yields no line twice after a read without a log', async () => {
  assert.deepEqual(await linesAfter(['a', 'b'], [], ['a', 'b', 'c']), ['c'])
})

test('followLog continues after transient errors and reports the first of a row', async () => {
  const [restarting, unreachable] = [new ServiceError(503, 'restarting'), new UserFacingError('Cannot connect.')]
  const { lines, messages } = await follow(['a'], [restarting, unreachable, ['a', 'b'], unreachable, ['a', 'b', 'c']])
  assert.deepEqual(lines, ['b', 'c'])
  assert.deepEqual(messages, [restarting.message, unreachable.message])
})

test('followLog ends with an error that is not transient', async () => {
  await assert.rejects(follow([], [new ServiceError(404, 'Intern not found.')]), /Intern not found/)
})

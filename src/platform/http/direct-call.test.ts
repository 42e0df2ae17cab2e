import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Log } from '../process/log.ts'
import { DirectCall, type DirectRoute } from './direct-call.ts'

type AnyCall = DirectCall<undefined, object>
type AnyRoute = DirectRoute<undefined, object>

/** Asks a direct route that handles a call so. @returns the status, none where the connection was closed; what was logged. */
async function ask(handle: (call: AnyCall) => Promise<object>, readers: Partial<AnyRoute> = {}, body = '{}') {
  const logged: string[] = []
  const route: AnyRoute = {
    readJson: JSON.parse,
    validate: (body) => body as object,
    handle,
    ...readers,
    check: () => {},
    explain: () => undefined,
    envelope: undefined,
    path: '/x',
    log: { error: (_context: object, message: string) => logged.push(message) } as unknown as Log,
  }
  const facts = { caller: undefined, requestId: 'r', host: undefined }
  await using server = createServer((request, raw) => void new DirectCall(route, request, raw, { ...facts, head: [] }))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const status = await fetch(url, { method: 'POST', body })
    .then(async (response) => (await response.text()) && response.status)
    .catch(() => undefined)
  return { status, logged }
}

test('a failure of the handler is an answer of 500, and is logged', async () => {
  const failing = async () => assert.fail('a defect')
  assert.deepEqual(await ask(failing), { status: 500, logged: ['request failed'] })
})

test('a failure of the error answer closes the connection, not the process', async () => {
  const spoiling = async ({ response }: AnyCall) => {
    response.header('x-spoilt', 'two\nlines')
    return {}
  }
  assert.deepEqual(await ask(spoiling), { status: undefined, logged: ['request failed', 'no answer can be sent'] })
})

test('an answer that breaks off is not sent as complete', async () => {
  const breaking = async ({ response }: AnyCall) => {
    response.write('a')
    throw new Error('a defect')
  }
  assert.deepEqual(await ask(breaking), { status: undefined, logged: ['a stream broke'] })
})

test('an answer is written before the tick that follows it: what is done then, its client does not wait for', async () => {
  let isWritten = false
  const answering = async ({ response }: AnyCall) => {
    await undefined
    process.nextTick(() => {
      isWritten = response.begun
    })
    return {}
  }
  assert.deepEqual([await ask(answering), isWritten], [{ status: 200, logged: [] }, true])
})

/** The turns of the event loop in which a body of this length is parsed, validated and handled, from 0. */
async function turnsOfStages(length: number): Promise<number[]> {
  const turns: number[] = []
  let turn = 0
  const count = () => {
    turn++
    counting = setImmediate(count)
  }
  let counting: NodeJS.Immediate | undefined
  const note = <Value>(value: Value): Value => {
    counting ??= setImmediate(count)
    turns.push(turn)
    return value
  }
  const readers: Partial<AnyRoute> = {
    readJson: (text) => note(JSON.parse(text)),
    validate: (body) => note(body as object),
  }
  await ask(async () => note({}), readers, JSON.stringify({ text: 'x'.repeat(length) }))
  clearImmediate(counting)
  return turns
}

test('a long body is parsed, validated and handled in different turns of the event loop', async () => {
  assert.equal(new Set(await turnsOfStages(300_000)).size, 3)
  assert.deepEqual(await turnsOfStages(1000), [0, 0, 0])
})

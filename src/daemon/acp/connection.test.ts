import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { Connection } from './connection.ts'

/** An agent that records every message and sends what the test requests. */
function connectAgent(): { connection: Connection; agent: PassThrough; output: PassThrough } {
  const [agent, output] = [new PassThrough(), new PassThrough()]
  const handlers = { request: async () => null, notification: () => {} }
  return {
    connection: new Connection({ input: agent, output }, handlers, { maxMessageBytes: 200_000 }),
    agent,
    output,
  }
}

test('a request that cannot be written fails at once, and is waited for no longer', async () => {
  const { connection, agent } = connectAgent()
  await assert.rejects(connection.request('say', { amount: 1n }, 3_600_000), /BigInt/)
  assert.equal(connection.waiting, 0)
  const response = connection.request('say', {})
  agent.write('{"jsonrpc":"2.0","id":2,"result":"heard"}\n')
  assert.equal(await response, 'heard')
  assert.equal(connection.waiting, 0)
})

test('a request that timed out does not wait, and its late answer is ignored', async () => {
  const { connection, agent } = connectAgent()
  await assert.rejects(connection.request('say', {}, 1), {
    kind: 'agent_not_ready',
    message: 'The agent did not respond to say within 0.001 s. Try again later.',
  })
  assert.equal(connection.waiting, 0)
  agent.write('{"jsonrpc":"2.0","id":1,"result":"late"}\n')
  const second = connection.request('say', {})
  agent.write('{"jsonrpc":"2.0","id":2,"result":"in time"}\n')
  assert.equal(await second, 'in time')
})

test('pending requests fail when the agent ends', async () => {
  const { connection, agent } = connectAgent()
  const pending = connection.request('say', {})
  agent.end()
  await assert.rejects(pending, /closed its output/)
  assert.equal(connection.waiting, 0)
})

for (const [what, line] of [
  ['with its id as a string', '{"jsonrpc":"2.0","id":"1","result":"heard"}'],
  ['after a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"result":"heard"}'],
  ['after a terminal title', '\x1b]0;agent: ready\x07{"jsonrpc":"2.0","id":1,"result":"heard"}'],
  ['in colour', '\x1b[32m{"jsonrpc":"2.0","id":1,"result":"heard"}\x1b[0m'],
] as const)
  test(`a response ${what} answers its request`, async () => {
    const { connection, agent } = connectAgent()
    const response = connection.request('say', {})
    agent.write(`${line}\n`)
    assert.equal(await response, 'heard')
  })

test('a long error message of an agent is shortened', async () => {
  const { connection, agent } = connectAgent()
  const response = connection.request('say', {})
  const error = { code: -32603, message: 'x'.repeat(100_000) }
  agent.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, error })}\n`)
  await assert.rejects(response, ({ message }: Error) => message.length === 4001)
})

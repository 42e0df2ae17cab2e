import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as library from '@modelcontextprotocol/client'
import { CommandTransport } from './command-transport.ts'

/** The messages that a transport reads from these bytes of its command. */
async function messagesIn(output: string): Promise<unknown[]> {
  const messages: unknown[] = []
  let receive = (_bytes: Buffer) => {}
  const start = async (onOutput: (bytes: Buffer) => void) => {
    receive = onOutput
    return { input: undefined, ended: new Promise<never>(() => {}) } as never
  }
  const transport = new CommandTransport(library, start, '{}')
  transport.onmessage = (message) => void messages.push(message)
  await transport.start()
  receive(Buffer.from(output))
  return messages
}

const answer = '{"jsonrpc":"2.0","id":1,"result":{"a":1}}'

for (const [what, line] of [
  ['alone', answer],
  ['after a byte order mark', `\ufeff${answer}`],
  ['in colour', `\x1b[0m${answer}\x1b[0m`],
  ['after a terminal title', `\x1b]0;tools\x07${answer}`],
  ['with an error that is null', '{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}'],
  ['without the version', '{"id":1,"result":{"a":1}}'],
] as const)
  test(`an answer ${what} on a line is read`, async () => {
    assert.deepEqual(await messagesIn(`a line of a log\n${line}\n`), [JSON.parse(answer)])
  })

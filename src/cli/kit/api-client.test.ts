import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { runCli } from '../cli.ts'

/** A server that is not the service. */
async function stranger(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, [Symbol.asyncDispose]: async () => void server.close().closeAllConnections() }
}

async function refusal(env: Record<string, string>, args = ['members', 'list']): Promise<string> {
  const said: string[] = []
  const code = await runCli(args, { env, out: (text) => void said.push(text), err: (text) => void said.push(text) })
  assert.deepEqual([code, said.length], [1, 1])
  return said[0]!
}

test('a key that no header can carry is told as such, without the key and before anything is sent', async () => {
  for (const [key, character] of [
    ['sb-v1-…', '…'],
    ['sb-v1-12\n34', '\\n'],
    ['my key', ' '],
  ] as const) {
    const told = await refusal({ SIGNALBOX_KEY: key, SIGNALBOX_URL: 'http://127.0.0.1:1' })
    assert.equal(
      told,
      `SIGNALBOX_KEY is no key: none has "${character}" in it. Set it to a management key, whole and on one line.`,
    )
  }
})

test('a proxy that sends on is not followed, which would lose the key: it is told where to', async () => {
  const asked: string[] = []
  await using elsewhere = await stranger((request, response) => {
    asked.push(request.url!)
    response.end('{"data":[]}')
  })
  await using proxy = await stranger((request, response) =>
    response.writeHead(301, { location: `${elsewhere.url}${request.url}` }).end(),
  )
  const told = await refusal({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: proxy.url })
  assert.equal(
    told,
    `${proxy.url}/api/v1 sends on to ${elsewhere.url}: set SIGNALBOX_URL to the address that answers itself.`,
  )
  assert.deepEqual(asked, [])
})

test('https where only http is spoken is told as such', async () => {
  await using plain = await stranger((_request, response) => void response.end())
  const told = await refusal({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: plain.url.replace('http:', 'https:') })
  assert.match(told, /^What answers at https:\S+ speaks no TLS \(\S+\): set SIGNALBOX_URL to its http:\/\/ address\.$/)
})

test('what the system refuses is one sentence', async () => {
  const told = await refusal({ SIGNALBOX_KEY: 'sb-v1-1' }, ['interns', 'files', 'pull', 'ada', '', '/dev/null/here'])
  assert.equal(told, 'The system does not let this program make /dev/null/here: not a directory.')
})

test('the variables of the README are used without SIGNALBOX_KEY, if they hold a key of the service', async () => {
  const authorizations: (string | undefined)[] = []
  await using service = await stranger((request, response) => {
    authorizations.push(request.headers.authorization)
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":{"code":403,"message":"No."}}')
  })
  const readme = { BASE_URL: service.url, MANAGEMENT_KEY: 'sb-v1-1', API_KEY: 'sb-v1-2' }
  await refusal(readme)
  assert.deepEqual(authorizations, ['Bearer sb-v1-1'])
  const other = await refusal({ ...readme, MANAGEMENT_KEY: 'sk-other' })
  assert.equal(other, 'Set SIGNALBOX_KEY to a management key of the service.')
  await refusal({ ...readme, SIGNALBOX_KEY: 'sb-v1-3', SIGNALBOX_URL: 'http://127.0.0.1:1' })
  assert.deepEqual(authorizations, ['Bearer sb-v1-1'])
})

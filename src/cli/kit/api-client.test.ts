import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { runCli } from '../cli.ts'
import { createApiClient } from './api-client.ts'

/** Starts an HTTP server that is not the service. */
async function startServer(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, [Symbol.asyncDispose]: async () => void server.close().closeAllConnections() }
}

async function outputOf(env: Record<string, string>, args: string[]): Promise<string[]> {
  const lines: string[] = []
  await runCli(args, { env, out: (text) => void lines.push(text), err: (text) => void lines.push(text) })
  return lines
}

async function errorOf(env: Record<string, string>, args = ['members', 'list']): Promise<string> {
  const lines: string[] = []
  const code = await runCli(args, { env, out: (text) => void lines.push(text), err: (text) => void lines.push(text) })
  assert.deepEqual([code, lines.length], [1, 1])
  return lines[0]!
}

test('a key with characters that no header can contain is rejected without printing it', async () => {
  for (const [key, character] of [
    ['sb-v1-…', '…'],
    ['sb-v1-12\n34', '\\n'],
    ['my key', ' '],
  ] as const) {
    const message = await errorOf({ SIGNALBOX_KEY: key, SIGNALBOX_URL: 'http://127.0.0.1:1' })
    assert.equal(
      message,
      `SIGNALBOX_KEY contains "${character}", which no key has. Set it to a management key, complete and on one line.`,
    )
  }
})

test('a name that parsing a URL would resolve is rejected, and reaches no other path', async () => {
  const requests: string[] = []
  await using server = await startServer((request, response) => {
    requests.push(request.url!)
    response.end('{"data":[]}')
  })
  const env = { SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: server.url }
  for (const args of [
    ['interns', 'show', '.'],
    ['interns', 'cancel', 'ada', '..'],
    ['models', 'show', '../keys'],
    ['interns', 'show', ''],
    ['workspaces', 'set', '', 'name=x'],
    ['guardrails', 'show', 'default:'],
  ])
    assert.match(await errorOf(env, args), /^"(\.\.?)?" is not a name or an ID\.$/, args.join(' '))
  assert.deepEqual(requests, [])
})

test('a base URL with a query is rejected', async () => {
  const message = await errorOf({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: 'http://127.0.0.1:1/api/v1?a=1' })
  assert.match(message, /^SIGNALBOX_URL must not have "\?" or "#"/)
})

test('an amount is a decimal number', async () => {
  const env = { SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: 'http://127.0.0.1:1' }
  for (const amount of ['0x10', '1e999', '-1', '0', 'ten', ''])
    assert.match(
      (await outputOf(env, ['keys', 'create', 'ci', '--limit', amount]))[0]!,
      /It must be a positive number of US dollars/,
      amount,
    )
})

test('a redirect is not followed, and the error names its target', async () => {
  const requests: string[] = []
  await using target = await startServer((request, response) => {
    requests.push(request.url!)
    response.end('{"data":[]}')
  })
  await using proxy = await startServer((request, response) =>
    response.writeHead(301, { location: `${target.url}${request.url}` }).end(),
  )
  const message = await errorOf({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: proxy.url })
  assert.equal(
    message,
    `${proxy.url}/api/v1 redirects to ${target.url}: set SIGNALBOX_URL to the address without a redirect.`,
  )
  assert.deepEqual(requests, [])
})

test('https to a server without TLS is an error with an explanation', async () => {
  await using plain = await startServer((_request, response) => void response.end())
  const message = await errorOf({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: plain.url.replace('http:', 'https:') })
  assert.match(
    message,
    /^The server at https:\S+ does not use TLS \(\S+\): set SIGNALBOX_URL to its http:\/\/ address\.$/,
  )
})

test('an error of the operating system is one sentence', async () => {
  const message = await errorOf({ SIGNALBOX_KEY: 'sb-v1-1' }, ['interns', 'files', 'pull', 'ada', '', '/dev/null/here'])
  assert.equal(message, 'The system does not let this program create /dev/null/here: not a directory.')
})

test('without SIGNALBOX_KEY, the variables of the README are used if they have a key', async () => {
  const authorizations: (string | undefined)[] = []
  await using service = await startServer((request, response) => {
    authorizations.push(request.headers.authorization)
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":{"code":403,"message":"No."}}')
  })
  const readme = { BASE_URL: service.url, MANAGEMENT_KEY: 'sb-v1-1', API_KEY: 'sb-v1-2' }
  await errorOf(readme)
  assert.deepEqual(authorizations, ['Bearer sb-v1-1'])
  const other = await errorOf({ ...readme, MANAGEMENT_KEY: 'sk-other' })
  assert.equal(other, 'Set SIGNALBOX_KEY to a management key of the service.')
  await errorOf({ ...readme, SIGNALBOX_KEY: 'sb-v1-3', SIGNALBOX_URL: 'http://127.0.0.1:1' })
  assert.deepEqual(authorizations, ['Bearer sb-v1-1'])
})

/** Commands that read a list, a JSON object and a text. */
const readers = [
  ['members', 'list'],
  ['interns', 'questions'],
  ['requests', 'export'],
]

test('an answer of another program is an error with its status', async () => {
  for (const [status, type, body, advice] of [
    [200, 'text/html', '<html>Hello</html>', 'check that'],
    [200, 'application/json', '[]', 'check that'],
    [200, 'application/json', '{"ok":true}', 'check that'],
    [502, 'text/html', '<html>Bad gateway</html>', 'check that the service is running, and that'],
  ] as const) {
    await using server = await startServer((_request, response) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    )
    for (const args of type === 'text/html' ? readers : readers.slice(0, 2))
      assert.equal(
        await errorOf({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: server.url }, args),
        `The response from ${server.url}/api/v1 (status ${status}) is not from Signalbox: ${advice} SIGNALBOX_URL is the base URL of the service.`,
      )
  }
})

test('an answer that breaks off is an error that says so', async () => {
  await using server = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 }).write('{"data":[')
    setTimeout(() => response.destroy(), 50)
  })
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
  for (const args of [...readers, ['interns', 'files', 'get', 'ada', 'a', join(folder, 'a')]])
    assert.equal(
      await errorOf({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: server.url }, args),
      `The response from ${server.url}/api/v1 ended early (connection closed).`,
    )
  assert.deepEqual(readdirSync(folder), [])
  rmSync(folder, { recursive: true })
})

test('a server that closes the connection may use TLS', async () => {
  await using server = await startServer((request) => void request.socket.destroy())
  assert.equal(
    await errorOf({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: server.url }),
    `The server at ${server.url}/api/v1 closed the connection without a response. If it uses TLS, set SIGNALBOX_URL to its https:// address.`,
  )
})

test('a download that is read late is complete, also after a garbage collection', async () => {
  await using server = await startServer((_request, response) => response.end('x'.repeat(100_000)))
  const client = createApiClient({ SIGNALBOX_URL: server.url, SIGNALBOX_KEY: 'key' })
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const body = await client.download('/file')
  for (let turn = 0; turn < 10; turn++) {
    collectGarbage()
    await nextTurn()
  }
  let bytes = 0
  for await (const piece of body) bytes += piece.length
  assert.equal(bytes, 100_000)
})

test('a URL with a password is rejected without printing it', async () => {
  for (const url of ['http://me:hunter2@127.0.0.1:1/api/v1', 'postgres://me:hunter2@127.0.0.1:1/signalbox']) {
    const message = await errorOf({ SIGNALBOX_KEY: 'sb-v1-1', SIGNALBOX_URL: url })
    assert.match(message, /^SIGNALBOX_URL must not have a user or a password: /)
    assert.ok(!message.includes('hunter2'))
  }
})

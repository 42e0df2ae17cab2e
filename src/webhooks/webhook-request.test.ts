import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { Agent, request } from 'undici'
import { startReceiver } from '#test/harness/service/receiver.ts'
import { forbiddenReason } from './target.ts'
import { pinnedLookup, sendRequest } from './webhook-request.ts'

const nothing = { webhook_origins: [] }
const post = (origins: string[], url: string) =>
  sendRequest({ webhook_origins: origins }, { url, headers: {}, body: '{}' }, new AbortController().signal)

test('nothing is sent to private addresses or without TLS, except to named servers', () => {
  const refused = [
    'http://hooks.example.com/',
    'https://127.0.0.1/',
    'https://[::1]:8443/x',
    'https://10.1.2.3/',
    'ftp://a.example/',
  ]
  for (const url of refused) assert.ok(forbiddenReason(nothing, url), url)
  for (const url of ['https://me:secret@hooks.example.com/', 'https://hooks.example.com/#a', 'nowhere'])
    assert.ok(forbiddenReason({ webhook_origins: ['https://hooks.example.com'] }, url), url)
  assert.equal(forbiddenReason(nothing, 'https://hooks.example.com/x?token=1'), undefined)
  assert.equal(forbiddenReason({ webhook_origins: ['http://10.1.2.3:80'] }, 'http://10.1.2.3/'), undefined)
})

test('a mailto URL has one address and no headers', () => {
  const withMail = { ...nothing, smtp_url: 'smtp://mail.example', smtp_from: 'signalbox@example.com' }
  assert.equal(forbiddenReason(withMail, 'mailto:team@example.com'), undefined)
  for (const url of [
    'mailto:a@example.com,b@example.com',
    'mailto:a@example.com?bcc=b%40example.com',
    'mailto:a@example.com#x',
  ])
    assert.match(forbiddenReason(withMail, url) ?? '', /must have one email address/, url)
})

test('a name that leads to this host is not connected to', async () => {
  const { status, error } = await post([], 'https://localhost:1/')
  assert.deepEqual([status, /the host localhost is not a public host.*webhook_origins/.test(error!)], [null, true])
})

test('the connection goes to the resolved address, even if DNS changes', async () => {
  await using receiver = await startReceiver()
  const agent = new Agent({ connect: pinnedLookup(['127.0.0.1']) })
  const url = new URL(receiver.url)
  url.hostname = 'rebind.invalid'
  const { statusCode } = await request(url, { method: 'POST', body: '{}', dispatcher: agent })
  await agent.destroy()
  assert.deepEqual([statusCode, receiver.received[0]?.headers.host], [204, `rebind.invalid:${url.port}`])
})

test('a redirect is not followed, and the error names the server it leads to', async () => {
  await using behind = await startReceiver()
  await using receiver = await startReceiver((response) => response.writeHead(307, { location: behind.url }).end())
  const { status, error } = await post([receiver.origin, behind.origin], receiver.url)
  assert.deepEqual([status, behind.received.length], [307, 0])
  assert.equal(
    error,
    `returned the status 307, a redirect to ${behind.origin}. Redirects are not followed: set the URL of the webhook to the final address`,
  )
})

test('a redirect of the same server does not show the path', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(308, { location: '/secret/' }).end())
  assert.match(
    (await post([receiver.origin], receiver.url)).error ?? '',
    /^returned the status 308, a redirect to another path\./,
  )
})

test('a redirect to an invalid URL is reported as the status alone', async () => {
  for (const location of ['http://[', 'mailto:ada@example.com']) {
    await using receiver = await startReceiver((response) => response.writeHead(302, { location }).end())
    assert.equal((await post([receiver.origin], receiver.url)).error, 'returned the status 302', location)
  }
})

test('only an overloaded receiver can request a delay', async () => {
  for (const status of [429, 503, 500, 404]) {
    await using receiver = await startReceiver((response) => response.writeHead(status, { 'retry-after': '7' }).end())
    const { retryAfter } = await post([receiver.origin], receiver.url)
    assert.equal(retryAfter, status === 429 || status === 503 ? '7' : undefined, String(status))
  }
})

test('an answer without end is not read to its end', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200)
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', write)
    }
    write()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  assert.deepEqual(await post([origin], `${origin}/`), { status: 200, error: null })
  server.closeAllConnections()
  server.close()
})

test('a server that cannot be reached is reported with a message', async () => {
  const { status, error } = await post(['http://127.0.0.1:1'], 'http://127.0.0.1:1/')
  assert.deepEqual([status, /ECONNREFUSED/.test(error!)], [null, true])
})

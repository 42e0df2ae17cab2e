/** Requests as no client library sends them, byte for byte. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestService, type TestService } from '../harness/service/service.ts'

let service: TestService
/** The lines of the log that report a defect. */
const defects: string[] = []
before(async () => {
  service = await startTestService({ log: (line) => JSON.parse(line).level >= 50 && defects.push(line) })
})
after(() => service?.[Symbol.asyncDispose]())

/** Sends bytes. @returns the statuses of all responses until the server closes the connection. */
function statusesOf(bytes: (string | Buffer)[], end = false): Promise<number[]> {
  const { promise, resolve } = Promise.withResolvers<number[]>()
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  let responses = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    responses += text
  })
  socket.on('error', () => {})
  socket.on('close', () => resolve([...responses.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))))
  for (const piece of bytes) socket.write(piece)
  if (end) socket.end()
  return promise
}

const body = JSON.stringify({ model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] })
const length = `content-length: ${body.length}`
const chunkedEncoding = 'transfer-encoding: chunked'
const zipped = gzipSync(body)
const chunk = (extension = '', trailer = '') =>
  `${body.length.toString(16)}${extension}\r\n${body}\r\n0\r\n${trailer}\r\n`

const head = (lines: string[], key: string, version = '1.1') =>
  [
    `POST /api/v1/chat/completions HTTP/${version}`,
    ...['host: x', 'connection: close', 'content-type: application/json', `authorization: Bearer ${key}`],
    ...[...lines, '', ''],
  ].join('\r\n')

type RawRequest = { lines: string[]; sent?: string | Buffer; statuses: number[]; version?: string; end?: boolean }

const requests: Record<string, RawRequest> = {
  'a chunk extension': { lines: [chunkedEncoding], sent: chunk(';a="b"'), statuses: [200] },
  'a chunk extension of 20 kB': { lines: [chunkedEncoding], sent: chunk(`;a=${'b'.repeat(20_000)}`), statuses: [400] },
  'a chunk size beyond 64 bits': { lines: [chunkedEncoding], sent: `${'F'.repeat(17)}\r\n${body}`, statuses: [400] },
  'a negative chunk size': { lines: [chunkedEncoding], sent: `-1\r\n${body}`, statuses: [400] },
  'a trailer': { lines: [chunkedEncoding, 'trailer: x'], sent: chunk('', 'x: 1\r\n'), statuses: [200] },
  'a flood of trailers': { lines: [chunkedEncoding], sent: chunk('', 'x: 1\r\n'.repeat(20_000)), statuses: [431] },
  'a length and chunks': { lines: [length, chunkedEncoding], sent: chunk(), statuses: [400] },
  'two lengths': { lines: [length, 'content-length: 5'], sent: body, statuses: [400] },
  'a length with a sign': { lines: [`content-length: +${body.length}`], sent: body, statuses: [400] },
  'an unknown transfer encoding': { lines: ['transfer-encoding: xchunked'], sent: body, statuses: [400] },
  'chunks that are not the last encoding': {
    ...{ lines: ['transfer-encoding: chunked, identity'], sent: chunk(), statuses: [400] },
  },
  'an expectation of 100': { lines: [length, 'expect: 100-continue'], sent: body, statuses: [100, 200] },
  'another expectation': { lines: [length, 'expect: 200-ok'], sent: body, statuses: [417] },
  'a flood of headers': {
    ...{ lines: [...Array.from({ length: 3000 }, (_, i) => `x-${i}: a`), length], sent: body, statuses: [431] },
  },
  'HTTP/1.0': { lines: [length], sent: body, statuses: [200], version: '1.0' },
  'a compressed body': {
    lines: ['content-encoding: gzip', `content-length: ${zipped.length}`],
    sent: zipped,
    statuses: [400],
  },
  'a body in UTF-16': {
    lines: [`content-length: ${body.length * 2}`],
    sent: Buffer.from(body, 'utf16le'),
    statuses: [400],
  },
  'an upgrade to HTTP/2': { lines: ['upgrade: h2c', length], sent: body, statuses: [200] },
  'a client that closes its side': { lines: [length], sent: body, statuses: [200], end: true },
  'a client that closes its side within the body': {
    ...{ lines: [`content-length: ${body.length + 9}`], sent: body, statuses: [400], end: true },
  },
}

describe('a request byte for byte', () => {
  for (const [name, { lines, sent = '', statuses, version, end }] of Object.entries(requests))
    test(`with ${name} is answered ${statuses.join(' ')}`, async () => {
      assert.deepEqual(await statusesOf([head(lines, service.apiKey, version), sent], end), statuses)
      assert.equal((await service.ask('GET', '/health')).status, 200)
      assert.deepEqual(defects, [])
    })
})

/** Hidden behind a request whose end a proxy can see elsewhere. */
const hidden = 'GET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n'
const ambiguous: Record<string, { lines: string[]; version?: string; path?: string }> = {
  'two transfer encodings': { lines: ['transfer-encoding: gzip, chunked'] },
  'transfer encodings in two headers': { lines: ['transfer-encoding: gzip', chunkedEncoding] },
  'an empty transfer encoding': { lines: ['transfer-encoding: ,chunked'] },
  'a path that cannot be decoded': { lines: ['transfer-encoding: gzip, chunked'], path: '/api/v1/%zz' },
  'chunks in HTTP/1.0': { lines: [chunkedEncoding], version: '1.0' },
}

describe('a request whose end is ambiguous is refused, and nothing after it is read:', () => {
  for (const [name, { lines, version, path = '/api/v1/chat/completions' }] of Object.entries(ambiguous))
    test(name, async () => {
      const request = head(lines, service.apiKey, version)
        .replace('connection: close', 'connection: keep-alive')
        .replace('/api/v1/chat/completions', path)
      assert.deepEqual(await statusesOf([request + chunk() + hidden]), [400])
    })
})

for (const protocol of ['websocket', 'h2c', 'other'])
  test(`requests after an upgrade to ${protocol} are not lost silently: the connection is closed`, async () => {
    const upgrade = `GET /api/v1/health HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`
    assert.deepEqual(await statusesOf([upgrade + hidden + hidden]), [200])
  })

test('a request whose body never ends is answered once, and its connection is closed', async () => {
  const request = 'GET /api/v1/health HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nx'
  assert.deepEqual(await statusesOf([request]), [200])
})

test('a request line without a version is refused', async () => {
  assert.deepEqual(await statusesOf(['GET /api/v1/health\r\n\r\n']), [400])
})

const hosts = { 'x/y': 400, 'a@x': 400, 'x, y': 400, 'x y': 400, 'x:y': 400, 'x?y': 400, '[x': 400, '\xe9': 400 }
const validHosts = { x: 200, 'x:80': 200, 'a_b.example.': 200, '[::1]:80': 200, '[fe80::1%25eth0]': 200, '': 200 }

for (const [host, status] of Object.entries({ ...hosts, ...validHosts }))
  test(`a Host header of "${host}" is answered ${status}`, async () => {
    const request = `GET /api/v1/health HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
    assert.deepEqual(await statusesOf([Buffer.from(request, 'latin1')]), [status])
  })

test('a key in a trailer opens nothing', async () => {
  const request = head([chunkedEncoding], '').replace('authorization: Bearer \r\n', '')
  const trailer = `authorization: Bearer ${service.apiKey}\r\n`
  assert.deepEqual(await statusesOf([request, chunk('', trailer)]), [401])
})

const intern = '00000000-0000-4000-8000-000000000000'
const segments = [
  '..',
  '.',
  '%2e%2e',
  '%2e',
  '%2e%2e%2f',
  '..%2f..',
  '%252e%252e',
  '.%00',
  '..%5c',
  '%c0%ae',
  '..;',
  '%ff',
]
const paths = ['presets', 'guardrails', 'keys', 'workspaces', 'budgets', 'answers', `interns/${intern}/sessions`]

test('no spelling of a parent folder in a path reaches anything or is a defect', async () => {
  const more = [`interns/${intern}/runs`, 'webhooks', 'models', 'models/a']
  for (const path of [...paths, ...more])
    for (const segment of segments) {
      const key = path.startsWith('interns') ? service.apiKey : service.managementKey
      const target = `GET /api/v1/${path}/${segment}/events HTTP/1.1`
      const [status] = await statusesOf([
        `${target}\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${key}\r\n\r\n`,
      ])
      assert.ok(status! >= 400 && status! < 500, `${target}: ${status}`)
    }
  assert.deepEqual(defects, [])
})

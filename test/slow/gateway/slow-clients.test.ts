import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestService, type TestService } from '../../harness/service/service.ts'

const limit = 4 * 1024 * 1024
const impatient = { headersMs: 300, requestMs: 600, checkEveryMs: 50 }

/** Sends the parts, `everyMs` apart, and returns everything that was received before the server closed. */
async function converse(service: TestService, parts: Iterable<string>, everyMs = 0): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const socket: Socket = connect(Number(port), hostname)
  let response = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  for (const part of parts) {
    if (socket.destroyed || response !== '') break
    socket.write(part)
    if (everyMs) await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  await closed
  return response
}

function head(service: TestService, ...lines: string[]): string {
  const start = ['POST /api/v1/presets/p/responses HTTP/1.1', 'host: x', 'connection: close']
  return [...start, `authorization: Bearer ${service.managementKey}`, ...lines, '', ''].join('\r\n')
}

test('a client that sends its headers slowly is cut off with 408', { timeout: 900_000 }, async () => {
  await using service = await startTestService({ timeouts: impatient })
  const drip = [...'GET /api/v1/health HTTP/1.1\r\nhost: x\r\nx-slow: and so on and on and on and on and on and on']
  const response = await converse(service, drip, 20)
  assert.match(response, /^HTTP\/1.1 408 Request Timeout\r\n/)
  assert.match(response, /\{"error":\{"code":408,"message":"The request did not arrive in time\."\}\}$/)
})

test('a client that sends its body slowly is cut off with 408', { timeout: 900_000 }, async () => {
  await using service = await startTestService({ timeouts: impatient })
  const declared = head(service, 'content-type: application/json', 'content-length: 1000')
  const response = await converse(service, [declared, ...'{"model": "and so on and on and on and on and on'], 20)
  assert.match(response, /^HTTP\/1.1 408 Request Timeout\r\n/)
})

test('a slow client does not delay others', { timeout: 900_000 }, async () => {
  await using service = await startTestService({ timeouts: impatient })
  const slow = Array.from({ length: 50 }, () => converse(service, [...'GET /api/v1/hea'], 20))
  assert.equal((await service.ask('GET', '/health')).status, 200)
  for (const response of await Promise.all(slow)) assert.match(response, /^HTTP\/1.1 408 /)
})

test('a declared length over 4 MiB returns 413 before the body is sent', { timeout: 900_000 }, async () => {
  await using service = await startTestService()
  const declared = head(service, 'content-type: application/json', `content-length: ${limit + 1}`)
  assert.match(await converse(service, [declared]), /^HTTP\/1.1 413 .*"code":413,/s)
})

test('a chunked body is 413 as soon as it is over 4 MiB', { timeout: 900_000 }, async () => {
  await using service = await startTestService()
  const chunk = `10000\r\n${' '.repeat(65536)}\r\n`
  const declared = head(service, 'content-type: application/json', 'transfer-encoding: chunked')
  const response = await converse(service, [declared, ...Array.from({ length: 66 }, () => chunk)], 1)
  assert.match(response, /^HTTP\/1.1 413 .*"code":413,/s)
})

test('a setting allows larger bodies, and the error has the limit in force', async () => {
  await using service = await startTestService({ settings: { max_body_bytes: 6 * 1024 * 1024 } })
  const post = (megabytes: number) =>
    service.ask('POST', '/chat/completions', {
      body: { model: 'nothing/such', messages: [{ role: 'user', content: 'x'.repeat(megabytes * 1024 * 1024) }] },
    })
  assert.equal((await post(5)).status, 404)
  const { status, body } = await post(6)
  assert.deepEqual([status, body.error.message], [413, 'The body exceeds 6291456 bytes, the limit of this path.'])
})

test('a body of exactly 4 MiB is read', async () => {
  await using service = await startTestService()
  const json = '{"model":"signalbox/demo"}'
  const response = await fetch(`${service.url}/presets/p/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.managementKey}`, 'content-type': 'application/json' },
    body: json + ' '.repeat(limit - json.length),
  })
  assert.equal(response.status, 200)
})

test('headers over 32 KiB are 431', { timeout: 900_000 }, async () => {
  await using service = await startTestService()
  const response = await converse(service, [head(service, `x-big: ${'x'.repeat(40_000)}`)])
  assert.match(response, /^HTTP\/1.1 431 .*x-request-id: [\w-]{36}\r\n.*"code":431,/s)
})

test('invalid HTTP is 400 in the usual envelope', { timeout: 900_000 }, async () => {
  await using service = await startTestService()
  for (const garbage of ['\0\0\0\0\r\n\r\n', 'GET\r\n\r\n', '\x16\x03\x01\x02\x00\x01', 'GET / HTTP/9.9\r\n\r\n']) {
    assert.match(await converse(service, [garbage]), /^HTTP\/1.1 400 .*"code":400,/s)
  }
})

test('malformed JSON is 400 and says where, and an undeclared body is refused', async () => {
  await using service = await startTestService()
  const post = async (path: string, type: string | undefined, body: string) => {
    const headers = { authorization: `Bearer ${service.managementKey}`, ...(type && { 'content-type': type }) }
    const response = await fetch(service.url + path, { method: 'POST', headers, body: new Blob([body]) })
    return [response.status, ((await response.json()) as any).error.message]
  }
  const malformed = [
    ['{"a":\n  nonsense}', 'it has an unexpected "o" at line 2, column 4'],
    ['{"a": [1, 2,]}', 'it has an unexpected "]" at line 1, column 13'],
    ['}', 'it has an unexpected "}" at line 1, column 1'],
    [`{"a": "${'b'.repeat(200_000)}", }`, 'it breaks at line 1, column 200011'],
    ['{"a": 1,\n b: 2}', 'it breaks at line 2, column 2'],
    ['{"a": "b', 'it breaks at line 1, column 9'],
    ['[1, 2', 'it breaks at line 1, column 6'],
    ['{"a": tr', 'it ends too early'],
  ]
  for (const [body, where] of malformed) {
    const expected = [400, `The body is not valid JSON: ${where}.`]
    assert.deepEqual(await post('/presets/p/responses', 'application/json', body!), expected)
  }
  assert.equal((await post('/presets/p/responses', 'text/plain', '{}'))[0], 400)
  assert.equal((await post('/keys', 'text/plain', '{"name":"n"}'))[0], 415)
  assert.equal((await post('/keys', undefined, '{"name":"n"}'))[0], 415)
})

test('a compressed body is reported, and plain JSON is accepted despite its header', async () => {
  await using service = await startTestService()
  const headers = {
    authorization: `Bearer ${service.managementKey}`,
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  }
  const post = (body: Uint8Array<ArrayBuffer> | string) =>
    fetch(`${service.url}/keys`, { method: 'POST', headers, body: new Blob([body]) })
  const compressed = await post(new Uint8Array(gzipSync('{"name":"n"}')))
  assert.equal(compressed.status, 400)
  assert.match(await compressed.text(), /The body is compressed, as its header .*content-encoding.* says: send it as/)
  assert.equal((await post('{"name":"n"}')).status, 201)
})

test('every path names its methods when it refuses one', async () => {
  await using service = await startTestService()
  const { status, headers } = await service.manage('DELETE', '/keys')
  assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, POST'])
})

test('an unknown expectation is 417 in the usual envelope', async () => {
  await using service = await startTestService()
  const response = await converse(service, [
    'GET /api/v1/health HTTP/1.1\r\nhost: x\r\nexpect: foo\r\nconnection: close\r\n\r\n',
  ])
  assert.match(response, /^HTTP\/1.1 417 .*x-request-id: [\w-]{36}\r\n.*\{"error":\{"code":417,/s)
})

test('a body with a million invalid items or levels is refused at once', async () => {
  await using service = await startTestService()
  const send = async (part: string) => {
    const body = `{"model":"signalbox/demo","input":"x","tools":[${part}]}`
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/responses`, { method: 'POST', headers, body })
    return ((await response.json()) as { error: { code: number; message: string } }).error
  }
  const many = await send(Array(1_000_000).fill('{}').join(','))
  assert.deepEqual([many.code, /more than 100000 items/.test(many.message)], [413, true])
  const deep = await send('['.repeat(1_900_000) + ']'.repeat(1_900_000))
  assert.deepEqual([deep.code, /more than 1000 levels/.test(deep.message)], [400, true])
})

test('a request without a host is 400 in the usual envelope', async () => {
  await using service = await startTestService()
  for (const path of ['/health', '/models', '/nothing']) {
    const response = await converse(service, [
      `GET /api/v1${path} HTTP/1.1\r\nauthorization: Bearer ${service.apiKey}\r\nconnection: close\r\n\r\n`,
    ])
    assert.match(response, /^HTTP\/1.1 400 Bad Request\r\n/)
    assert.match(response, /x-request-id: /)
    assert.match(response, /\{"error":\{"code":400,"message":"The request has no Host header/)
  }
})

test('a body of up to 1 MiB is not refused for its number of items', async () => {
  await using service = await startTestService()
  const head = '{"model":"signalbox/demo","messages":[{"role":"user","content":"Hi"}],"other":'
  const room = 1024 * 1024 - head.length - 2
  const names = Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":1`).join(',')
  for (const other of [`[1${',1'.repeat((room - 3) / 2)}]`, `[[]${',[]'.repeat((room - 4) / 3)}]`, `{${names}}`]) {
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/chat/completions`, {
      method: 'POST',
      headers,
      body: `${head}${other}}`,
    })
    assert.equal(response.status, 200, await response.text())
  }
})

test('a body with bytes that are not UTF-8 is answered 400', async () => {
  await using service = await startTestService()
  const paths: [path: string, key: string][] = [
    ['/chat/completions', service.apiKey],
    ['/presets/p/responses', service.managementKey],
    ['/guardrails', service.managementKey],
  ]
  for (const [path, key] of paths) {
    for (const bytes of [
      [0x68, 0xff],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
    ]) {
      const [start, end] = ['{"model":"signalbox/demo","name":"', '","messages":[{"role":"user","content":"Hi"}]}']
      const body = Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)])
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await fetch(service.url + path, { method: 'POST', headers, body })
      assert.deepEqual([response.status, /not valid UTF-8/.test(await response.text())], [400, true], path)
    }
  }
})

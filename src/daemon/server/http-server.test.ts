import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { connectRuns } from '#interns/remote/connect-runs.ts'
import { refusalOf, startTestDaemon, token } from '#test/harness/interns/daemon.ts'

type Asked = { path: string; method?: string; key?: string | null; body?: string }

async function ask(socketPath: string, { path, method = 'GET', key = token, body }: Asked) {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` }
  const { promise, resolve, reject } = Promise.withResolvers<[number, any]>()
  const asking = request({ socketPath, path, method, headers, agent: false }, async (response) => {
    resolve([response.statusCode ?? 0, JSON.parse(await text(response))])
  })
  asking.on('error', reject).end(body)
  return promise
}

test('only requests with the token are accepted', async () => {
  await using daemon = await startTestDaemon()
  for (const key of [null, '', 'wrong', `${token}x`, token.slice(1)]) {
    assert.equal((await ask(daemon.socketPath, { path: '/v1/health', key }))[0], 401)
  }
  assert.equal((await ask(daemon.socketPath, { path: '/v1/health' }))[0], 200)
})

test('only its owner can reach the socket', async () => {
  await using daemon = await startTestDaemon()
  assert.equal(statSync(daemon.socketPath).mode & 0o777, 0o600)
})

test('another version of the contract is refused by name', async () => {
  await using daemon = await startTestDaemon()
  const [status, body] = await ask(daemon.socketPath, { path: '/v2/health' })
  const message = 'This intern speaks version 1 of the runs contract, not "v2".'
  assert.deepEqual([status, body], [404, { error: { kind: 'version_mismatch', message } }])
})

test('requests outside the contract are refused with the reason', async () => {
  await using daemon = await startTestDaemon()
  const rows: [Asked, number][] = [
    [{ path: '/v1/nothing' }, 404],
    [{ path: '//[' }, 400],
    [{ path: '/v1/turns', method: 'POST', body: 'no' }, 400],
    [{ path: '/v1/turns', method: 'POST', body: '{"prompt":"","mode":"manual"}' }, 400],
    [{ path: '/v1/turns', method: 'POST', body: '{"prompt":"x","mode":"yolo"}' }, 400],
    [{ path: '/v1/answers', method: 'POST', body: '{"sessionId":"s"}' }, 400],
    [{ path: '/v1/turns', method: 'POST', body: 'x'.repeat(4e6) }, 413],
    [{ path: '/v1/sessions/%zz' }, 404],
    [{ path: '/v1/sessions/%E0%A4%A/events' }, 404],
    ...[null, 1, 'x', []].map((attachment): [Asked, number] => {
      const body = JSON.stringify({ mode: 'manual', prompt: 'x', attachments: [attachment] })
      return [{ path: '/v1/turns', method: 'POST', body }, 400]
    }),
  ]
  for (const [requestBody, status] of rows) {
    assert.equal((await ask(daemon.socketPath, requestBody).catch(() => [413]))[0], status, requestBody.path)
  }
})

test('a request whose end is ambiguous gets 400, and the connection closes', async () => {
  await using daemon = await startTestDaemon()
  const codings: [version: string, coding: string][] = [
    ['1.1', 'gzip, chunked'],
    ['1.1', 'identity, chunked'],
    ['1.1', 'chunked, chunked'],
    ['1.0', 'chunked'],
  ]
  for (const [version, coding] of codings) {
    const head = `POST /v1/turns HTTP/${version}\r\nhost: daemon\r\nauthorization: Bearer ${token}\r\ntransfer-encoding: ${coding}`
    const socket = connect(daemon.socketPath)
    socket.write(
      `${head}\r\n\r\n0\r\n\r\nGET /v1/health HTTP/1.1\r\nhost: daemon\r\nauthorization: Bearer ${token}\r\n\r\n`,
    )
    const responses = await text(socket)
    assert.deepEqual(
      responses.match(/^HTTP\/1\.1 .*$/gm)?.map((line) => line.trim()),
      ['HTTP/1.1 400 Bad Request'],
      coding,
    )
  }
})

test('an intern that is not there is unreachable', async () => {
  const runs = connectRuns({ socketPath: '/nowhere/daemon.sock', token })
  const refusal = await refusalOf(runs.health())
  assert.deepEqual([refusal?.code, refusal?.reason, refusal?.retryable], [502, 'intern_unreachable', true])
})

test('a wrong token is reported as a rejection by the intern', async () => {
  await using daemon = await startTestDaemon()
  const runs = connectRuns({ socketPath: daemon.socketPath, token: 'wrong' })
  assert.equal((await refusalOf(runs.health()))?.reason, 'intern_rejected')
  runs.close()
})

test('a socket that a dead daemon left behind is replaced', async () => {
  const first = await startTestDaemon()
  await first.stop()
  writeFileSync(join(first.folder, 'daemon.sock'), '')
  await using second = await startTestDaemon({ folder: first.folder })
  assert.equal((await second.say('say hi')).text, 'hi')
})

test('a session, run or question named . or .. does not exist', async () => {
  await using daemon = await startTestDaemon()
  const { runs } = daemon
  for (const name of ['.', '..', '%2e%2e']) {
    const found = [
      await runs.transcripts.read(name, { limit: 1 }),
      await runs.transcripts.follow(name, 0, new AbortController().signal),
      await runs.question(name),
      await runs.cancel(name),
    ]
    assert.deepEqual(found, [undefined, undefined, undefined, false], name)
  }
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { refusalOf } from '#test/harness/interns/daemon.ts'
import { until } from '#test/harness/until.ts'
import { connectRuns } from './connect-runs.ts'

/** The runs of a daemon that gives the same answer to every request. */
const runsOf = (status: number, text: string) =>
  runsOfDaemon((_, response) => void response.writeHead(status).end(text))

/** The runs of a daemon that answers with `listener`, and the number of its open connections. */
async function runsOfDaemon(listener: RequestListener, options?: { timeoutMs: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-lying-'))
  const socketPath = join(folder, 's')
  const server = createServer(listener).listen(socketPath)
  await once(server, 'listening')
  const runs = connectRuns({ socketPath, token: 'any' }, options)
  const dispose = async () => {
    runs.close()
    server.close()
    rmSync(folder, { recursive: true })
  }
  const connections = () => promisify(server.getConnections.bind(server))()
  return { ...runs, connections, [Symbol.asyncDispose]: dispose }
}

type DaemonRuns = Awaited<ReturnType<typeof runsOfDaemon>>

/** Every call whose answer is not a stream. */
const wholeResponses: Record<string, (runs: DaemonRuns) => Promise<unknown>> = {
  health: (runs) => runs.health(),
  cancel: (runs) => runs.cancel('r'),
  question: (runs) => runs.question('q'),
  decisions: (runs) => runs.decisions(0),
  sessions: (runs) => runs.transcripts.list({ limit: 1 }),
  session: (runs) => runs.transcripts.read('s', { limit: 1 }),
  files: (runs) => runs.files.list('', { limit: 1 }),
}

for (const [name, call] of Object.entries(wholeResponses)) {
  test(`a daemon that never answers ${name} is left after the time limit`, { timeout: 60_000 }, async () => {
    const silent: RequestListener = (_, response) => {
      if (name === 'session') response.writeHead(200).write('{')
    }
    await using runs = await runsOfDaemon(silent, { timeoutMs: 200 })
    const refusal = await refusalOf(call(runs))
    assert.deepEqual(
      [refusal?.reason, refusal?.message],
      ['intern_unreachable', 'The intern did not respond within 0.2 seconds.'],
    )
    await until(async () => (await runs.connections()) === 0)
  })
}

/** A daemon that sends spaces without end, each in a separate chunk. */
const sendSingleBytes: RequestListener = ({ socket }) => {
  const chunks = '1\r\n \r\n'.repeat(10_000)
  socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
  const send = () => {
    while (!socket.destroyed && socket.write(chunks));
  }
  socket.on('error', () => {}).on('drain', send)
  send()
}

test('an answer in a chunk for each byte is cut off after a few of them', { timeout: 60_000 }, async () => {
  await using runs = await runsOfDaemon(sendSingleBytes)
  for (const call of [runs.transcripts.list({ limit: 1 }), runs.question('q')])
    assert.equal((await refusalOf(call))?.message, 'The response of the intern is too large.')
  assert.ok(process.memoryUsage().heapUsed < 500 * 1024 * 1024)
})

test('a reader that leaves takes its connection to a silent daemon along', { timeout: 60_000 }, async () => {
  await using runs = await runsOfDaemon(() => {})
  const leaving = new AbortController()
  const pending = [
    runs.transcripts.list({ limit: 1 }, leaving.signal),
    runs.transcripts.read('s', { limit: 1 }, leaving.signal),
    runs.files.list('', { limit: 1 }, leaving.signal),
    runs.question('q', leaving.signal),
  ].map(refusalOf)
  await until(async () => (await runs.connections()) === pending.length)
  leaving.abort()
  for (const refusal of await Promise.all(pending)) assert.equal(refusal?.reason, 'stream_severed')
  await until(async () => (await runs.connections()) === 0)
})

test('an answer that breaks in the middle is a broken connection', { timeout: 60_000 }, async () => {
  await using runs = await runsOfDaemon((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{')
    setTimeout(() => response.destroy(), 50)
  })
  assert.equal((await refusalOf(runs.transcripts.list({ limit: 1 })))?.reason, 'stream_severed')
})

const fileHead = { size: 1, modifiedAt: 1, tag: 'a', part: null }
for (const [what, header, length] of [
  ['text that cannot be decoded', '%', '1'],
  ['a time that no date has', encodeURIComponent(JSON.stringify({ ...fileHead, modifiedAt: 1e300 })), '1'],
  ['an empty part', encodeURIComponent(JSON.stringify({ ...fileHead, part: { from: 0, to: 0 } })), '0'],
]) {
  test(`a file with ${what} in its header is rejected, and its connection is closed`, { timeout: 60_000 }, async () => {
    await using runs = await runsOfDaemon(
      (_, response) => void response.writeHead(200, { 'x-file': header, 'content-length': length }).flushHeaders(),
    )
    const refusal = await refusalOf(runs.files.read('a', {}, new AbortController().signal))
    assert.equal(refusal?.reason, 'intern_rejected')
    await until(async () => (await runs.connections()) === 0)
  })
}

test('a listed file with a negative size, or a time that no date has, is rejected', async () => {
  const entry = {
    name: 'a',
    isNameValid: true,
    kind: 'file',
    size: 1,
    modifiedAt: 1,
    isExecutable: false,
    target: null,
  }
  for (const wrong of [{ size: -1 }, { size: 0.5 }, { size: 1e308 }, { modifiedAt: 1e300 }, { modifiedAt: -1e300 }]) {
    await using runs = await runsOf(200, JSON.stringify({ entries: [{ ...entry, ...wrong }] }))
    assert.equal((await refusalOf(runs.files.list('', { limit: 1 })))?.reason, 'intern_rejected', JSON.stringify(wrong))
  }
})

for (const [what, status, result, why] of [
  ['no JSON', 200, 'yes', /is invalid/],
  ['nothing of what was asked', 200, '{}', /is invalid: \w+: is missing/],
  ['an error of no known kind', 500, '{"error":{"kind":"constructor","message":"odd"}}', /refused the request: odd/],
  ['an error that is none', 500, '{"error":{"kind":"busy","message":{}}}', /the unexpected status 500/],
] as const) {
  test(`a daemon that answers ${what} has rejected the request`, async () => {
    await using runs = await runsOf(status, result)
    for (const pending of [runs.health(AbortSignal.timeout(60_000)), runs.cancel('r')]) {
      const refusal = await refusalOf(pending)
      assert.equal(refusal?.reason, 'intern_rejected')
      assert.match(refusal!.message, why)
    }
  })
}

test('a reason of 50,000 characters is cut to 10,000', async () => {
  await using runs = await runsOf(502, JSON.stringify({ error: { kind: 'turn_failed', message: 'x'.repeat(50_000) } }))
  const refusal = await refusalOf(runs.health(AbortSignal.timeout(60_000)))
  assert.deepEqual([refusal?.reason, refusal?.message.length], ['turn_failed', 10_000])
})

test('a full page of decisions with the longest details is read', async () => {
  const decision = { effect: 'deny', scope: 'intern', version: 1, rule: 1, name: null, why: null }
  const longest = { sessionId: 's', runId: 'r', at: 1, operation: 'shell', detail: '\u0001'.repeat(2001), decision }
  const decisions = Array.from({ length: 500 }, (_, seq) => ({ ...longest, seq }))
  await using runs = await runsOf(200, JSON.stringify({ decisions }))
  assert.equal((await runs.decisions(0)).length, 500)
})

test('a daemon that answers without end is cut off', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-endless-'))
  const socketPath = join(folder, 's')
  const endless = createServer((_, response) => {
    response.writeHead(500)
    Readable.from(Array(100).fill('x'.repeat(100_000))).pipe(response, { end: false })
  }).listen(socketPath)
  await once(endless, 'listening')
  const runs = connectRuns({ socketPath, token: 'any' })
  const refusal = await refusalOf(runs.health(AbortSignal.timeout(120_000)))
  assert.equal(refusal?.message, 'The response of the intern is too large.')
  runs.close()
  endless.close()
  rmSync(folder, { recursive: true })
})

test('a daemon that does not listen is unreachable, and no path is in the message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-gone-'))
  const runs = connectRuns({ socketPath: join(folder, 'daemon.sock'), token: 'any' })
  const signal = AbortSignal.timeout(60_000)
  for (const call of [runs.start({ prompt: 'hi', mode: 'manual' }, signal), runs.files.list('', { limit: 1 })]) {
    const refusal = await refusalOf(call)
    assert.deepEqual([refusal?.code, refusal?.reason], [502, 'intern_unreachable'])
    assert.match(refusal!.message, /its process does not respond \(ENOENT\)/)
    assert.doesNotMatch(refusal!.message, /sock|\//)
  }
  runs.close()
  rmSync(folder, { recursive: true })
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { refusalOf } from '#test/harness/interns/daemon.ts'
import { connectRuns } from './connect-runs.ts'

/** The runs of a daemon that gives the same answer to every request. */
async function runsOf(status: number, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-lying-'))
  const socketPath = join(folder, 's')
  const server = createServer((_, response) => response.writeHead(status).end(text)).listen(socketPath)
  await once(server, 'listening')
  const runs = connectRuns({ socketPath, token: 'any' })
  const dispose = async () => {
    runs.close()
    server.close()
    rmSync(folder, { recursive: true })
  }
  return { ...runs, [Symbol.asyncDispose]: dispose }
}

for (const [what, status, result, why] of [
  ['no JSON', 200, 'yes', /is invalid/],
  ['nothing of what was asked', 200, '{}', /is invalid: \w+: Invalid input/],
  ['an error of no known kind', 500, '{"error":{"kind":"constructor","message":"odd"}}', /refused the request: odd/],
  ['an error that is none', 500, '{"error":{"kind":"busy","message":{}}}', /with the unexpected status 500/],
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
    assert.match(refusal!.message, /its process does not answer \(ENOENT\)/)
    assert.doesNotMatch(refusal!.message, /sock|\//)
  }
  runs.close()
  rmSync(folder, { recursive: true })
})

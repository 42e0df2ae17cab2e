import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { refusalOf, startTestDaemon } from '#test/harness/interns/daemon.ts'

for (const restore of ['load', 'resume'] as const) {
  test(`a session continues after a restart with an agent that can ${restore} it`, async () => {
    const first = await startTestDaemon({ restore })
    const { sessionId } = await first.say('say one')
    await first.stop()
    await using second = await startTestDaemon({ restore, folder: first.folder })
    assert.equal((await second.say('say two', { sessionId })).text, 'two')
  })
}

test('a session continues under its id with an agent without memory', async () => {
  const first = await startTestDaemon({ restore: 'never' })
  const { sessionId } = await first.say('say one')
  await first.stop()
  await using second = await startTestDaemon({ restore: 'never', folder: first.folder })
  const { text, sessionId: same, reasoning } = await second.say('say two', { sessionId })
  assert.deepEqual([text, same], ['two', sessionId])
  assert.match(reasoning, /^\[The earlier conversation of this session is lost: .*starts without it\.\]/)
  assert.equal((await second.say('say three', { sessionId })).reasoning, '')
})

test('a run that waited when the daemon ended has ended, and so has its question', async () => {
  const first = await startTestDaemon()
  const turn = await first.say('permission shell allow_once')
  await first.stop()
  await using second = await startTestDaemon({ folder: first.folder })
  const refusal = await refusalOf(second.answer(turn, 'allow_once'))
  assert.deepEqual([refusal?.code, refusal?.reason], [409, 'interaction_not_pending'])
})

test('an old question is forgotten in time', async () => {
  let now = 1_000_000
  await using daemon = await startTestDaemon({ now: () => now, limits: { questionMemoryMs: 1000, questionMs: 1000 } })
  const turn = await daemon.say('permission shell allow_once')
  await daemon.answer(turn, 'allow_once')
  now += 3000
  await daemon.say('permission shell allow_once')
  assert.equal((await refusalOf(daemon.answer(turn, 'allow_once')))?.reason, 'interaction_unknown')
})

test('an attached caller is notified that the run has ended when the daemon stops', async () => {
  const daemon = await startTestDaemon()
  const { received, finished } = await daemon.listen('say hi\nwait 60000')
  await daemon.stop()
  await finished
  const last = received.at(-1)
  assert.ok(last?.type === 'run.ended', JSON.stringify(received))
  assert.equal(last.message, 'The intern was stopped.')
  rmSync(daemon.folder, { recursive: true })
})

test('a folder is held by one daemon at a time', async () => {
  await using daemon = await startTestDaemon()
  await assert.rejects(startTestDaemon({ folder: daemon.folder }), /another daemon of this intern is running/)
  assert.equal((await daemon.say('say mine')).text, 'mine')
})

test('a daemon waits briefly for a process that reads its folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-daemon-'))
  mkdirSync(join(folder, 'state'))
  const reading = new Worker(readsForAMoment, { eval: true, workerData: join(folder, 'state', 'daemon.sqlite') })
  await once(reading, 'message')
  await using daemon = await startTestDaemon({ folder })
  assert.equal((await daemon.say('say mine')).text, 'mine')
})

const readsForAMoment = `
  const { workerData, parentPort } = require('node:worker_threads')
  const db = new (require('node:sqlite').DatabaseSync)(workerData)
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE held (id)')
  parentPort.postMessage('held')
  setTimeout(() => db.close(), 300)
`

test('the longest idle sessions are unloaded, and loaded again on demand', async () => {
  await using daemon = await startTestDaemon({ limits: { maxIdleSessions: 2 } })
  const { sessionId } = await daemon.say('say first')
  for (const name of ['a', 'b', 'c']) await daemon.say('say next', { sessionId: name })
  assert.equal((await daemon.say('memory', { sessionId })).text, '[restored]')
  assert.equal((await daemon.say('memory', { sessionId })).text, '[restored]')
  assert.equal((await daemon.say('memory', { sessionId: 'c' })).text, '[open]')
})

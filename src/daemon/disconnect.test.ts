import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf, startTestDaemon } from '#test/harness/interns/daemon.ts'
import { timed, until } from '#test/harness/until.ts'

type Daemon = Awaited<ReturnType<typeof startTestDaemon>>

/** No run is in progress. */
const quiet = (daemon: Daemon) => until(async () => (await daemon.runs.health()).runs === 0)

async function assertQuietAtOnce(daemon: Daemon): Promise<void> {
  const { tookMs, allowedMs } = await timed(100, () => quiet(daemon))
  assert.ok(tookMs < allowedMs, `it took ${tookMs} ms`)
}

test('a disconnect from a silent stream ends the run within 100 ms', async () => {
  await using daemon = await startTestDaemon()
  const { leave, sessionId } = await daemon.listen('say hi\nwait 60000\nsay never')
  leave()
  await assertQuietAtOnce(daemon)
  assert.equal((await daemon.say('say free', { sessionId })).text, 'free')
})

test('a disconnect during a stream ends the run within 100 ms', async () => {
  await using daemon = await startTestDaemon()
  const { leave } = await daemon.listen('stream 10000 1')
  leave()
  await assertQuietAtOnce(daemon)
})

test('a disconnect before the start of the turn ends the run', async () => {
  await using daemon = await startTestDaemon()
  const disconnect = new AbortController()
  const refused = assert.rejects(daemon.runs.start({ prompt: 'wait 60000', mode: 'manual' }, disconnect.signal))
  while ((await daemon.runs.health()).agent !== 'running') await new Promise((resolve) => setImmediate(resolve))
  disconnect.abort()
  await refused
  await assertQuietAtOnce(daemon)
})

test('a disconnect after the question does not end the run', async () => {
  await using daemon = await startTestDaemon()
  const { received, finished, leave, sessionId, runId } = await daemon.listen('permission shell allow_once\nsay on')
  await finished
  leave()
  await new Promise((resolve) => setTimeout(resolve, 30))
  const question = received.at(-1)
  assert.ok(question?.type === 'question.asked')
  const answer = { sessionId, questionId: question.question.id, answer: 'allow_once' }
  const events = await Array.fromAsync(await daemon.runs.answer(answer, new AbortController().signal))
  assert.deepEqual([events.at(-1)?.type, (events[0] as { runId: string }).runId], ['turn.finished', runId])
})

test('a disconnect from the resumed stream ends the run', async () => {
  await using daemon = await startTestDaemon()
  const turn = await daemon.say('permission shell allow_once\nsay on\nwait 60000')
  const disconnect = new AbortController()
  const answer = { sessionId: turn.sessionId, questionId: turn.question!.id, answer: 'allow_once' }
  await daemon.runs.answer(answer, disconnect.signal)
  disconnect.abort()
  await assertQuietAtOnce(daemon)
  assert.equal((await refusalOf(daemon.answer(turn, 'allow_once')))?.reason, 'interaction_not_pending')
})

test('a question that waits behind another is settled too when the run is cancelled', async () => {
  await using daemon = await startTestDaemon()
  const turn = await daemon.say('permissions allow_once')
  await daemon.runs.cancel(turn.runId)
  assert.equal((await daemon.say('say free', { sessionId: turn.sessionId })).text, 'free')
})

test('a turn that follows a cancelled one waits until the agent has ended it', async () => {
  await using daemon = await startTestDaemon()
  const { leave, sessionId } = await daemon.listen('say hi\nstream 20 20')
  leave()
  await quiet(daemon)
  assert.equal((await daemon.say('say only this', { sessionId })).text, 'only this')
})

/** A session whose agent continues although its caller disconnected. */
async function deafSession(daemon: Daemon): Promise<string> {
  const { runs } = await daemon.runs.health()
  const { leave, sessionId } = await daemon.listen('say hi\nhang')
  leave()
  await until(async () => (await daemon.runs.health()).runs === runs)
  return sessionId
}

test('an agent that ignores cancellation is replaced for the waiting turn', async () => {
  await using daemon = await startTestDaemon({ limits: { settleMs: 1000 } })
  const [one, other] = [await deafSession(daemon), await deafSession(daemon)]
  const replies = await Promise.all([one, other].map((sessionId) => daemon.say('say free', { sessionId })))
  assert.deepEqual(
    replies.map(({ text }) => text),
    ['free', 'free'],
  )
  assert.ok(daemon.logged.some(({ event, why }) => event === 'agent.ended' && String(why).includes('cancelled')))
})

test('an agent that ignores cancellation keeps its session until another needs it', async () => {
  await using daemon = await startTestDaemon({ limits: { settleMs: 500 } })
  const other = await daemon.say('permission shell allow_once\nsay on')
  const sessionId = await deafSession(daemon)
  assert.equal((await refusalOf(daemon.say('say hi', { sessionId })))?.reason, 'busy')
  assert.match((await daemon.answer(other, 'allow_once')).text, /on$/)
  await until(() => daemon.logged.some(({ event }) => event === 'agent.ended'))
  assert.equal((await daemon.say('say free', { sessionId })).text, 'free')
})

test('a queued turn continues with the next agent when the agent dies', async () => {
  await using daemon = await startTestDaemon({ agent: ['load'], limits: { settleMs: 600_000 } })
  const sessionId = await deafSession(daemon)
  const waiting = daemon.say('say free', { sessionId })
  await until(async () => (await daemon.runs.health()).runs === 1)
  assert.equal((await refusalOf(daemon.say('crash')))?.reason, 'stream_severed')
  assert.equal((await waiting).text, 'free')
})

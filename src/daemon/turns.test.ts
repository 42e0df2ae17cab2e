import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf, startTestDaemon } from '#test/harness/interns/daemon.ts'
import { until } from '#test/harness/until.ts'

test('a turn begins with its run and session, and ends with usage and model', async () => {
  await using daemon = await startTestDaemon()
  const { all, runId, sessionId } = await daemon.say('think so\nsay hello\nusage 12 3\ncost 0.25\nsay bye')
  assert.match(`${runId} ${sessionId}`, /^[\w-]{36} [\w-]{36}$/)
  assert.deepEqual(all, [
    { type: 'turn.started', runId, sessionId, model: 'scripted/one' },
    { type: 'reasoning.added', text: 'so' },
    { type: 'text.added', text: 'hello' },
    { type: 'text.added', text: 'bye' },
    {
      type: 'turn.finished',
      model: 'scripted/one',
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15, cost: 0.25 },
    },
  ])
})

test('a turn without a word is still a turn', async () => {
  await using daemon = await startTestDaemon()
  const { all } = await daemon.say('nothing')
  assert.deepEqual(
    all.map(({ type }) => type),
    ['turn.started', 'turn.finished'],
  )
})

test('the cost of a turn is the increase of the cost of its session', async () => {
  await using daemon = await startTestDaemon()
  const { sessionId } = await daemon.say('usage 1 1\ncost 0.5')
  const { last } = await daemon.say('usage 1 1\ncost 0.25', { sessionId })
  assert.equal(last.type === 'turn.finished' && last.usage?.cost, 0.25)
})

test('the model that the agent reports during the turn is the one at its end', async () => {
  await using daemon = await startTestDaemon()
  const { last } = await daemon.say('model other/two\nsay hi')
  assert.equal(last.type === 'turn.finished' && last.model, 'other/two')
})

test('a session continues under its id, and an unknown id is a new session', async () => {
  await using daemon = await startTestDaemon()
  assert.equal((await daemon.say('say one', { sessionId: 'my session' })).sessionId, 'my session')
  assert.equal((await daemon.say('say two', { sessionId: 'my session' })).text, 'two')
})

test('each turn sets its own approval mode', async () => {
  await using daemon = await startTestDaemon()
  const { sessionId, text } = await daemon.say('mode', { mode: 'manual' })
  assert.equal(text, '[manual]')
  assert.equal((await daemon.say('mode', { sessionId, mode: 'self-drive' })).text, '[self-drive]')
})

test('a turn whose budget was worked out before another one of its session is refused', async () => {
  await using daemon = await startTestDaemon()
  const begin = (turnsBefore: number) => daemon.say('say hi', { sessionId: 'limited', turnsBefore })
  assert.equal((await begin(0)).text, 'hi')
  const { code, message } = (await refusalOf(begin(0)))!
  assert.deepEqual([code, message], [409, 'Another turn of this session has started meanwhile.'])
  assert.equal((await begin(1)).text, 'hi')
})

test('a session has one turn at a time, and other sessions are not held up', async () => {
  await using daemon = await startTestDaemon()
  const { sessionId, leave } = await daemon.listen('say hi\nwait 10000')
  const refusal = await refusalOf(daemon.say('say me too', { sessionId }))
  assert.deepEqual([refusal?.code, refusal?.reason, refusal?.retryable], [409, 'busy', true])
  assert.equal((await daemon.say('say another')).text, 'another')
  leave()
})

test('a run that waits for an answer holds its session', async () => {
  await using daemon = await startTestDaemon()
  const { sessionId } = await daemon.say('permission shell allow_once')
  assert.equal((await refusalOf(daemon.say('say hi', { sessionId })))?.reason, 'busy')
})

test('a prompt that the agent refuses is refused with its words and its verdict', async () => {
  await using daemon = await startTestDaemon()
  const refusal = { code: 502, reason: 'turn_failed', retryable: false, message: 'no such model' }
  assert.deepEqual(await refusalOf(daemon.say('refuse no such model')), refusal)
  assert.equal((await refusalOf(daemon.say('overload try later')))?.retryable, true)
})

test('a turn that fails after its start ends with the failure and the usage', async () => {
  await using daemon = await startTestDaemon()
  const { last, text } = await daemon.say('say hi\nusage 3 4\noverload the model is busy')
  assert.equal(text, 'hi')
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  const report = { model: 'scripted/one', usage }
  const failure = { reason: 'turn_failed', message: 'the model is busy', retryable: true }
  assert.deepEqual(last, { type: 'turn.failed', ...failure, ...report })
})

test('a session is free again after a turn that failed', async () => {
  await using daemon = await startTestDaemon()
  const { sessionId } = await daemon.say('say hi\nfail')
  assert.equal((await daemon.say('say again', { sessionId })).text, 'again')
})

test('unknown updates are ignored', async () => {
  await using daemon = await startTestDaemon()
  assert.equal((await daemon.say('say a\nunknown\nsay b')).text, 'ab')
})

test('work without visible events is reported, to distinguish it from a hang', async () => {
  await using daemon = await startTestDaemon()
  const { all } = await daemon.say('tool shell ls\ntool read a\nsay done')
  assert.deepEqual(
    all.map(({ type }) => type),
    ['turn.started', 'work.noticed', 'text.added', 'turn.finished'],
  )
})

test('a run is cancelled by its id, and attached callers are notified', async () => {
  await using daemon = await startTestDaemon()
  const { runId, received, finished } = await daemon.listen('say hi\nwait 10000')
  assert.equal(await daemon.runs.cancel(runId), true)
  await finished
  assert.deepEqual(received.at(-1), {
    type: 'run.ended',
    message: 'The run was cancelled.',
    model: 'scripted/one',
    usage: null,
  })
  assert.equal(await daemon.runs.cancel(runId), false)
})

test('a run that is cancelled before its first output ends its reply', async () => {
  await using daemon = await startTestDaemon()
  const turn = daemon.say('wait 10000', { sessionId: 's' })
  const runId = await until(
    async () => (await daemon.runs.transcripts.read('s', { limit: 1 }))?.entries[0]?.runId ?? false,
  )
  assert.equal(await daemon.runs.cancel(runId), true)
  const { all } = await turn
  assert.deepEqual(
    all.map(({ type }) => type),
    ['turn.started', 'run.ended'],
  )
})

test('health returns the number of runs and the name of the agent', async () => {
  await using daemon = await startTestDaemon()
  assert.equal((await daemon.runs.health()).agent, 'stopped')
  await daemon.say('permission shell allow_once')
  const { startedAt, ...health } = await daemon.runs.health()
  assert.ok(Math.abs(startedAt - Date.now()) < 60_000)
  assert.deepEqual(health, {
    contract: 1,
    agent: 'running',
    agentName: 'scripted 1',
    runs: 1,
    waiting: 1,
    resting: false,
  })
})

test('the time of a run does not count as idle, also while its turn ends', async () => {
  let now = 1_000_000
  await using daemon = await startTestDaemon({ now: () => now })
  const { runId, finished } = await daemon.listen('say hi\nhang')
  now += 60_000
  await daemon.runs.cancel(runId)
  await finished
  assert.equal(await daemon.runs.drain(30_000), 30_000)
})

test('a character that an agent splits between two updates arrives whole', async () => {
  await using daemon = await startTestDaemon()
  const { all } = await daemon.say('say a\ud83d\nsay \ude00b\ud800\nsay c')
  const texts = all.flatMap((event) => (event.type === 'text.added' ? event.text : []))
  assert.deepEqual(texts, ['a', '😀b', '\ufffdc'])
})

test('text that an agent sends just after the end of its turn is in the reply', async () => {
  await using daemon = await startTestDaemon({ sendsLate: true, limits: { lateOutputMs: 5000 } })
  const { text, last } = await daemon.say('say The answer is\nlate 20  forty-two.')
  assert.deepEqual([text, last.type], ['The answer is forty-two.', 'turn.finished'])
})

test('text that an agent sends between turns is in the transcript', async () => {
  await using daemon = await startTestDaemon({ sendsLate: true, limits: { lateOutputMs: 0 } })
  const { sessionId, runId } = await daemon.say('say before\nlate 300 and later')
  const entries = async () => (await daemon.runs.transcripts.read(sessionId, { limit: 100 }))?.entries ?? []
  const late = await until(async () => {
    const found = (await entries()).find((entry) => entry.type === 'message' && entry.text === 'and later')
    return found
  })
  assert.equal(late.runId, runId)
  assert.equal((await daemon.say('say next', { sessionId })).text, 'next')
  const types = (await entries()).map(({ type }) => type)
  assert.deepEqual(types, ['prompt', 'message', 'end', 'message', 'prompt', 'message', 'end'])
})

test('the result of a tool call after the end of its turn is in the transcript', async () => {
  await using daemon = await startTestDaemon({ sendsLate: true, limits: { lateOutputMs: 0 } })
  const { sessionId } = await daemon.say('tool build make\nlate_result 100 build')
  const call = await until(async () => {
    const { entries } = (await daemon.runs.transcripts.read(sessionId, { limit: 10 }))!
    return entries.find((entry) => entry.type === 'tool_call' && entry.status === 'completed')
  })
  assert.ok(call.type === 'tool_call' && call.title === 'build' && call.endedAt !== null)
})

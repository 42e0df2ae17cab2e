import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Entry, TranscriptEvent } from '#interns/contract/transcript.ts'
import { startDaemonProcess, startTestDaemon } from '#test/harness/interns/daemon.ts'
import { until } from '#test/harness/until.ts'
import { openTranscriptStore } from '../store/transcript-store.ts'
import { defaultTranscriptLimits } from './limits.ts'
import { DaemonTranscripts } from './transcripts.ts'

type Daemon = Pick<Awaited<ReturnType<typeof startTestDaemon>>, 'runs'>

async function entriesOf({ runs }: Daemon, sessionId: string): Promise<Entry[]> {
  return (await runs.transcripts.read(sessionId, { limit: 500 }))!.entries
}

/** An entry without the members that differ each time. */
function plain({ id: _, revision: __, runId: ___, at: ____, updatedAt: _____, ...rest }: Entry) {
  return rest
}

test('a transcript has all of a turn, in order', async () => {
  await using daemon = await startTestDaemon()
  const prompt =
    'say one\nsay two\nthink hm\nplan read, write\nwork edit a.txt {"before": "x\\n", "after": "y\\n"}\nsay end'
  const { sessionId } = await daemon.say(prompt, { mode: 'self-drive' })
  const [result, message, thought, plan, call, last, end] = (await entriesOf(daemon, sessionId)).map(plain)
  assert.deepEqual(result, { type: 'prompt', text: prompt, mode: 'self-drive', by: null })
  assert.deepEqual(message, { type: 'message', text: 'onetwo' })
  assert.deepEqual(thought, { type: 'reasoning', text: 'hm' })
  assert.ok(plan?.type === 'plan' && call?.type === 'tool_call' && end?.type === 'end')
  assert.deepEqual(plan.steps[0], { text: 'read', status: 'in_progress', priority: 'high' })
  assert.deepEqual(
    [call.operation, call.status, call.input, call.output],
    ['edit', 'completed', '{"path":"a.txt"}', 'done'],
  )
  assert.match(call.changes[0]!.diff, /^--- a\.txt\n.*\n-x\n\+y$/s)
  assert.ok(call.endedAt)
  assert.deepEqual([last?.type, end.reason], ['message', 'finished'])
})

test('a question is stored while it waits, then with its answer and user', async () => {
  await using daemon = await startTestDaemon()
  const turn = await daemon.say('permission shell allow_once')
  const waiting = (await entriesOf(daemon, turn.sessionId)).at(-1)
  assert.ok(waiting?.type === 'question' && waiting.answer.state === 'waiting')
  const answer = { sessionId: turn.sessionId, questionId: turn.question!.id, answer: 'allow_once', by: 'user-1' }
  await Array.fromAsync(await daemon.runs.answer(answer, new AbortController().signal))
  const question = (await entriesOf(daemon, turn.sessionId)).find(({ type }) => type === 'question')
  assert.ok(question?.type === 'question' && question.answer.state === 'answered')
  assert.deepEqual([question.answer.answer, question.answer.by], ['allow_once', 'user-1'])
})

test('form input is not stored, only the names of the fields', async () => {
  await using daemon = await startTestDaemon()
  const turn = await daemon.say('ask {"type":"object","properties":{"token":{"type":"string"},"b":{"type":"string"}}}')
  await daemon.answer(turn, JSON.stringify({ action: 'accept', content: { token: 'hunter2' } }))
  const [entries] = [await entriesOf(daemon, turn.sessionId)]
  const question = entries.find((entry) => entry.type === 'question')
  assert.ok(question?.answer.state === 'answered')
  assert.deepEqual([question.answer.answer, question.answer.fields], ['accept', ['token']])
})

test('a killed daemon loses nothing acknowledged, and the next one ends open runs', async () => {
  const first = await startDaemonProcess()
  const { sessionId } = await first.say('say one')
  const turn = await first.say('say before\npermission shell allow_once', { sessionId })
  await first.kill('SIGKILL')
  await using second = await startDaemonProcess({ folder: first.folder })
  const { entries, session } = (await second.runs.transcripts.read(sessionId, { limit: 500 }))!
  assert.deepEqual(
    entries.map((entry) => [entry.type, entry.type === 'end' && entry.reason]),
    [
      ['prompt', false],
      ['message', false],
      ['end', 'finished'],
      ['prompt', false],
      ['message', false],
      ['question', false],
      ['end', 'severed'],
    ],
  )
  const question = entries.find((entry) => entry.type === 'question')
  assert.deepEqual([question?.question.id, question?.answer], [turn.question!.id, { state: 'ended' }])
  assert.deepEqual([session.status, session.turns, session.title], ['idle', 2, 'say one'])
})

test('sessions are listed with the latest first, page by page', async () => {
  await using daemon = await startTestDaemon()
  for (const sessionId of ['a', 'b/ü', 'c']) await daemon.say('say x', { sessionId })
  const first = await daemon.runs.transcripts.list({ limit: 2 })
  assert.deepEqual([first.sessions.map(({ id }) => id), first.hasMore], [['c', 'b/ü'], true])
  const rest = await daemon.runs.transcripts.list({ limit: 2, after: 'b/ü' })
  assert.deepEqual([rest.sessions.map(({ id }) => id), rest.hasMore], [['a'], false])
  assert.equal((await daemon.runs.transcripts.read('b/ü', { limit: 1 }))?.entries.length, 1)
  assert.equal(await daemon.runs.transcripts.read('nobody', { limit: 1 }), undefined)
})

test('a follower receives the past, the text at its place, and new entries', async () => {
  await using daemon = await startTestDaemon()
  const { sessionId } = await daemon.say('say past')
  const disconnect = new AbortController()
  const received: TranscriptEvent[] = []
  const events = (await daemon.runs.transcripts.follow(sessionId, 0, disconnect.signal))!
  const listening = (async () => {
    for await (const event of events) received.push(event)
  })().catch(() => {})
  await until(() => received.length >= 3)
  await daemon.say('stream 50 2\nsay end', { sessionId })
  await until(() =>
    received.some((event) => event.type === 'entry' && event.entry.type === 'end' && event !== received[2]),
  )
  assert.deepEqual(rebuilt(received), texts(await entriesOf(daemon, sessionId)))
  assert.ok(received.some(({ type }) => type === 'text'))
  disconnect.abort()
  await listening
})

/** The texts of a client that inserts each piece at its offset. */
function rebuilt(events: TranscriptEvent[]): string[] {
  const result = new Map<number, string>()
  for (const event of events) {
    if (event.type === 'text') {
      assert.equal(result.get(event.id)?.length ?? 0, event.offset)
      result.set(event.id, (result.get(event.id) ?? '') + event.text)
    } else if ('text' in event.entry) result.set(event.entry.id, event.entry.text)
  }
  return [...result].sort(([one], [other]) => one - other).map(([, text]) => text)
}
const texts = (entries: Entry[]) => entries.flatMap((entry) => ('text' in entry ? [entry.text] : []))

test('one member can have half of the followers of an intern, and others the rest', async () => {
  await using daemon = await startTestDaemon()
  const { sessionId } = await daemon.say('say x')
  const disconnect = new AbortController()
  const follow = (member: string, signal = disconnect.signal) =>
    daemon.runs.transcripts.follow(sessionId, 0, signal, member)
  for (let count = 0; count < 32; count++) assert.ok(await follow('ann'))
  await assert.rejects(follow('ann'), /Too many readers of this member/)
  for (let count = 0; count < 32; count++) assert.ok(await follow(`member ${count % 2}`))
  await assert.rejects(follow('bob'), /Too many readers follow this intern/)
  disconnect.abort()
  const last = new AbortController()
  await until(() => follow('ann', last.signal).catch(() => undefined))
  last.abort()
})

test('a follower with the last revision receives only later changes', async () => {
  const first = await startTestDaemon()
  const { sessionId } = await first.say('say one')
  const revision = Math.max(...(await entriesOf(first, sessionId)).map((entry) => entry.revision))
  await first.stop()
  await using second = await startTestDaemon({ folder: first.folder })
  await second.say('say two', { sessionId })
  const disconnect = new AbortController()
  const events = (await second.runs.transcripts.follow(sessionId, revision, disconnect.signal))!
  const types: string[] = []
  for await (const event of events) {
    types.push(event.type === 'entry' ? event.entry.type : event.type)
    if (types.length === 3) break
  }
  assert.deepEqual(types, ['prompt', 'message', 'end'])
  disconnect.abort()
})

test('an agent cannot fill the disk: the oldest entries are dropped', async () => {
  const limits = { maxSessionTranscriptBytes: 200_000, maxTranscriptBytes: 300_000 }
  await using daemon = await startTestDaemon({ limits })
  for (const sessionId of ['a', 'b', 'c']) await daemon.say('flood 1', { sessionId, mode: 'self-drive' })
  const { sessions } = await daemon.runs.transcripts.list({ limit: 10 })
  const sizes = await Promise.all(sessions.map(async ({ id }) => JSON.stringify(await entriesOf(daemon, id)).length))
  assert.ok(Math.max(...sizes) <= 200_000, `${sizes}`)
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 300_000, `${sizes}`)
  assert.ok(sessions[0]!.dropped > 0)
  assert.equal((await entriesOf(daemon, 'c')).at(-1)?.type, 'end')
})

test('unlimited calls take at most the space of their session', async () => {
  await using daemon = await startTestDaemon({ limits: { maxSessionTranscriptBytes: 100_000 } })
  const lines = Array.from({ length: 2000 }, (_, at) => `tool t${at} ${'x'.repeat(500)}`)
  const { sessionId } = await daemon.say(lines.join('\n'), { mode: 'self-drive' })
  assert.ok(JSON.stringify(await entriesOf(daemon, sessionId)).length <= 100_000)
})

test('a session that was quiet for too long is forgotten with the next that is written', () => {
  const store = openTranscriptStore(new DatabaseSync(':memory:'), { ...defaultTranscriptLimits, transcriptMs: 1000 })
  const change = (sessionId: string) => ({ sessionId, title: '', status: 'idle' as const, turns: 1, entries: [] })
  store.write([change('old')], 0)
  store.write([change('new')], 1001)
  assert.deepEqual(
    store.sessions(undefined, 10).map(({ id }) => id),
    ['new'],
  )
})

test('a session deleted for another one does not delete a third one', () => {
  const limits = { ...defaultTranscriptLimits, maxTranscriptBytes: 1_700 }
  const store = openTranscriptStore(new DatabaseSync(':memory:'), limits)
  const open = (sessionId: string, at: number) =>
    store.write([{ sessionId, title: '', status: 'running', turns: 1, entries: [] }], at)
  open('first', 1)
  open('quietest', 0)
  open('last', 2)
  const messages: string[] = []
  new DaemonTranscripts({ store, now: () => 3, log: (event) => messages.push(event) }).close()
  assert.deepEqual(
    store.sessions(undefined, 10).map(({ id, status }) => [id, status]),
    [
      ['last', 'idle'],
      ['first', 'idle'],
    ],
  )
  assert.deepEqual(messages, [])
})

test('a request for milestones leaves no listener at its signal', async () => {
  const store = openTranscriptStore(new DatabaseSync(':memory:'), defaultTranscriptLimits)
  const transcripts = new DaemonTranscripts({ store, now: () => 3, log: () => {} })
  const { signal } = new AbortController()
  const milestones = transcripts.milestones(0, signal)
  transcripts.wake()
  assert.deepEqual(await milestones, [])
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
  transcripts.close()
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { refusalOf, startTestDaemon, type TurnResult } from '#test/harness/interns/daemon.ts'

type Daemon = Awaited<ReturnType<typeof startTestDaemon>>

/** The expected state of a session, and its last question. */
type Expected = { waitsUntil?: number; turn?: TurnResult }

const questionMs = 60_000
const anySession = fc.constantFrom('one', 'two', 'three')
const anyAct = fc.oneof(
  fc.record({ act: fc.constantFrom('talk', 'ask', 'leave', 'fail', 'answer', 'misanswer', 'cancel'), in: anySession }),
  fc.record({ act: fc.constantFrom('wait', 'crash'), in: anySession }),
)
type Act = { act: string; in: string }

test('random histories of the daemon end in the states of the model', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyAct, { maxLength: 25 }), play), { numRuns: 40 })
})

test('a session loaded by a new agent is not treated as created by it', () =>
  play([
    { act: 'talk', in: 'one' },
    { act: 'crash', in: 'one' },
    { act: 'ask', in: 'three' },
    { act: 'talk', in: 'one' },
    { act: 'answer', in: 'three' },
  ]))

async function play(history: Act[]): Promise<void> {
  let now = 1_000_000
  await using daemon = await startTestDaemon({ now: () => now, limits: { questionMs } })
  const sessions = new Map<string, Expected>()
  for (const { act, in: sessionId } of history) {
    const expected = sessions.get(sessionId) ?? {}
    sessions.set(sessionId, expected)
    if (act === 'wait') now += questionMs / 2
    if (act === 'crash') {
      await refusalOf(daemon.say('crash', { sessionId: 'elsewhere' }))
      for (const each of sessions.values()) delete each.waitsUntil
    }
    for (const each of sessions.values())
      if (each.waitsUntil !== undefined && now >= each.waitsUntil) delete each.waitsUntil
    const perform = acts[act]
    if (perform) await perform({ daemon, sessionId, expected, now })
    const waiting = [...sessions.values()].filter((each) => each.waitsUntil !== undefined).length
    assert.equal((await daemon.runs.health()).waiting, waiting)
  }
}

type Scene = { daemon: Daemon; sessionId: string; expected: Expected; now: number }

/** A prompt is accepted if and only if the session is free. */
async function prompt({ daemon, sessionId, expected }: Scene, script: string): Promise<TurnResult | undefined> {
  if (expected.waitsUntil === undefined) return daemon.say(script, { sessionId })
  assert.equal((await refusalOf(daemon.say(script, { sessionId })))?.reason, 'busy')
  return undefined
}

async function reply({ daemon, expected, sessionId }: Scene, words: string): Promise<TurnResult | undefined> {
  const turn = expected.turn ?? { sessionId, question: undefined }
  const answering = daemon.answer(turn as TurnResult, words)
  const reason = expected.turn ? 'interaction_not_pending' : 'interaction_unknown'
  if (expected.waitsUntil !== undefined) return answering
  assert.equal((await refusalOf(answering))?.reason, reason)
  return undefined
}

const acts: Record<string, (scene: Scene) => Promise<unknown>> = {
  talk: async (scene) => {
    const turn = await prompt(scene, 'say hi\nsay ho')
    if (turn) assert.deepEqual([turn.text, turn.last.type], ['hiho', 'turn.finished'])
  },
  ask: async (scene) => {
    const turn = await prompt(scene, 'say hi\npermission shell allow_once reject_once\nsay done')
    if (!turn) return
    assert.ok(turn.question)
    Object.assign(scene.expected, { waitsUntil: scene.now + questionMs, turn })
  },
  fail: async (scene) => {
    const turn = await prompt(scene, 'say hi\nfail')
    if (turn) assert.equal(turn.last.type, 'turn.failed')
  },
  leave: async ({ daemon, sessionId, expected }) => {
    if (expected.waitsUntil !== undefined) return
    const { leave, finished } = await daemon.listen('say hi\nwait 60000', { sessionId })
    leave()
    await finished
    while ((await refusalOf(daemon.say('say quiet', { sessionId })))?.reason === 'busy');
  },
  answer: async (scene) => {
    const turn = await reply(scene, 'allow_once')
    if (!turn) return
    assert.deepEqual([turn.text, turn.runId], ['[allow_once-0]done', scene.expected.turn?.runId])
    delete scene.expected.waitsUntil
  },
  misanswer: async (scene) => {
    if (scene.expected.waitsUntil === undefined) return reply(scene, 'allow_always')
    assert.equal((await refusalOf(reply(scene, 'allow_always')))?.reason, 'bad_request')
  },
  cancel: async ({ daemon, expected }) => {
    const cancelled = await daemon.runs.cancel(expected.turn?.runId ?? 'none')
    assert.equal(cancelled, expected.waitsUntil !== undefined)
    delete expected.waitsUntil
  },
}

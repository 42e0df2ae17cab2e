import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import {
  daemonOf,
  type InternChatService,
  type Open,
  open,
  startInternChatService,
} from '../../../harness/interns/intern-chat.ts'
import { daemonPid, type InternReply, tryAnswer, trySay, untilIntern } from '../../../harness/interns/interns.ts'
import { until } from '../../../harness/until.ts'

// The same as src/daemon/histories.test.ts, from the outside: through the public API, on real processes that are really
// killed, on the real clock.

const questionMs = 1500
/** No action starts so near to a deadline that either outcome would be right. */
const nearMs = 250

/** The model's view of a session; a deadline passes at some time between `from` and a little after `until`. */
type Expected =
  | { at: 'free'; turn?: InternReply }
  | { at: 'waiting'; turn: InternReply; from: number; until: number }
  | { at: 'streaming'; stream: Open; turn?: InternReply }

type Scene = { service: InternChatService; sessions: Map<string, Expected> }
type Act = (scene: Scene, sessionId: string, expected: Expected) => Promise<Expected | undefined>

const free = ({ turn }: Expected): Expected => ({ at: 'free', ...(turn && { turn }) })

/** A prompt is accepted if and only if the session is free. */
async function prompt({ service }: Scene, sessionId: string, expected: Expected, script: string) {
  const turn = await trySay(service, service.id, script, { session_id: sessionId })
  if (expected.at === 'free') return turn
  assert.deepEqual([turn.status, turn.error?.metadata?.reason], [409, 'busy'])
  return undefined
}

/** Why an answer to the last question of a session is refused, if it is not open. */
function reasonAgainst(expected: Expected): string {
  if (!expected.turn) return 'interaction_unknown'
  return expected.at === 'streaming' ? 'attachment_failed' : 'interaction_not_pending'
}

const nothingAsked = (sessionId: string) => ({ sessionId, question: { id: 'never-asked' } }) as InternReply

async function hold(service: InternChatService, body: object): Promise<Open> {
  const stream = await open(service, service.id, body)
  if (stream.status !== 200) assert.fail(JSON.stringify(await stream.rest()))
  await stream.next()
  return stream
}

const acts: Record<string, Act> = {
  talk: async (scene, sessionId, expected) => {
    const turn = await prompt(scene, sessionId, expected, 'say hi\nsay ho')
    if (turn) assert.deepEqual([turn.text, turn.finish], ['hiho', 'stop'])
    return undefined
  },
  fail: async (scene, sessionId, expected) => {
    const turn = await prompt(scene, sessionId, expected, 'say hi\nfail')
    if (turn) assert.equal(turn.error?.metadata?.reason, 'turn_failed')
    return undefined
  },
  ask: async (scene, sessionId, expected) => {
    const from = performance.now() + questionMs
    const turn = await prompt(scene, sessionId, expected, 'permission shell allow_once\nsay done')
    if (!turn) return undefined
    assert.equal(turn.finish, 'tool_calls')
    return { at: 'waiting', turn, from, until: performance.now() + questionMs }
  },
  stream: async ({ service }, sessionId, expected) => {
    if (expected.at !== 'free') return undefined
    const messages = [{ role: 'user', content: 'say hi\nwait 60000' }]
    return { at: 'streaming', stream: await hold(service, { session_id: sessionId, messages }) }
  },
  leave: async ({ service }, _sessionId, expected) => {
    if (expected.at !== 'streaming') return undefined
    const before = (await daemonOf(service, service.id).health()).runs
    expected.stream.leave()
    await until(async () => (await daemonOf(service, service.id).health()).runs < before)
    return free(expected)
  },
  answer: async ({ service }, sessionId, expected) => {
    const turn = await tryAnswer(service, service.id, expected.turn ?? nothingAsked(sessionId), 'allow_once')
    if (expected.at === 'waiting') {
      assert.deepEqual([turn.text, turn.chunks[0].id], ['[allow_once-0]done', expected.turn.chunks[0].id])
      return free(expected)
    }
    assert.equal(turn.error?.metadata?.reason, reasonAgainst(expected))
    return undefined
  },
  misanswer: async ({ service }, sessionId, expected) => {
    const turn = await tryAnswer(service, service.id, expected.turn ?? nothingAsked(sessionId), 'allow_always')
    const reason = expected.at === 'waiting' ? 'bad_request' : reasonAgainst(expected)
    assert.equal(turn.error?.metadata?.reason, reason)
    return undefined
  },
  wait: async () => void (await sleep(questionMs / 2)),
  killAgent: async (scene) => {
    const daemon = daemonPid(scene.service.testStore.settings.data_dir, scene.service.id)
    const agents = readFileSync(`/proc/${daemon}/task/${daemon}/children`, 'utf8').split(' ').filter(Boolean)
    for (const agent of agents) process.kill(Number(agent), 'SIGKILL')
    await sever(scene)
    // A turn that arrives before the daemon has detected this would be severed too.
    await until(async () => (await daemonOf(scene.service, scene.service.id).health()).agent === 'stopped')
  },
  killDaemon: async (scene) => {
    const { service } = scene
    process.kill(daemonPid(service.testStore.settings.data_dir, service.id), 'SIGKILL')
    await sever(scene)
    await untilIntern(service, service.id, 'failed')
    // Sooner than by itself, which takes longer from death to death.
    await service.ask('POST', `/interns/${service.id}/provision`)
    await untilIntern(service, service.id, 'running')
  },
}

/** Every attached client is notified, and every run is over. */
async function sever({ service, sessions }: Scene): Promise<void> {
  for (const [sessionId, expected] of sessions) {
    if (expected.at === 'streaming') {
      const events = (await expected.stream.rest()) as any[]
      assert.equal(events.at(-3)?.error?.metadata.reason, 'stream_severed')
    }
    sessions.set(sessionId, free(expected))
  }
  await until(() =>
    daemonOf(service, service.id)
      .health()
      .then(({ runs }) => runs === 0)
      .catch(() => true),
  )
}

async function passDeadlines({ sessions }: Scene): Promise<void> {
  for (const [sessionId, expected] of sessions) {
    if (expected.at !== 'waiting') continue
    if (expected.from - performance.now() > nearMs) continue
    await sleep(Math.max(0, expected.until + nearMs - performance.now()))
    sessions.set(sessionId, free(expected))
  }
}

let service: InternChatService
let histories = 0
before(async () => {
  service = await startInternChatService({ settings: { intern_question_ms: questionMs } })
})
after(() => service[Symbol.asyncDispose]())

async function play(history: { act: string; in: string }[]): Promise<void> {
  const name = `history ${++histories}`
  const scene: Scene = { service, sessions: new Map() }
  for (const { act, in: session } of history) {
    await passDeadlines(scene)
    const sessionId = `${name}, session ${session}`
    const expected = scene.sessions.get(sessionId) ?? { at: 'free' }
    const next = await acts[act]!(scene, sessionId, expected).catch((error) => {
      // On a busy machine a deadline can pass in the middle of an action; then either outcome is right.
      if (expected.at !== 'waiting' || performance.now() < expected.from) throw error
      return free(expected)
    })
    if (next) scene.sessions.set(sessionId, next)
  }
  await passDeadlines(scene)
  const open = [...scene.sessions.values()].filter(({ at }) => at !== 'free').length
  assert.equal((await daemonOf(service, service.id).health()).runs, open)
  await acts.killAgent!(scene, '', { at: 'free' })
}

const weighted = (weights: Record<string, number>) =>
  fc.oneof(...Object.entries(weights).map(([act, weight]) => ({ weight, arbitrary: fc.constant(act) })))
const anyAct = fc.record({
  act: weighted({ talk: 2, fail: 1, ask: 4, stream: 2, leave: 2, answer: 4, misanswer: 2, wait: 1, killAgent: 1 }),
  in: fc.constantFrom('one', 'two', 'three'),
})

/** For each of the two tests. `npm run test:long` takes more. */
const seconds = Number(process.env.HISTORY_SECONDS ?? 5)

/** Runs histories until the time is up; a started history is finished. */
async function check(anyOf: typeof anyAct, numRuns: number, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs
  const history = fc.array(anyOf, { minLength: 4, maxLength: 18 })
  await fc.assert(
    fc.asyncProperty(history, async (acts) => {
      if (performance.now() < until) await play(acts)
    }),
    { numRuns, endOnFailure: true },
  )
}

test('random histories of an intern end in the states of the model', () => check(anyAct, seconds * 12, seconds * 1000))

test('and with killed daemons', () => {
  const killDaemon = fc.constant({ act: 'killDaemon', in: 'one' })
  return check(
    fc.oneof({ weight: 9, arbitrary: anyAct }, { weight: 1, arbitrary: killDaemon }),
    seconds * 4,
    seconds * 1000,
  )
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { newTestStore, type TestStore } from '../../../harness/database/databases.ts'
import {
  daemonOf,
  type Event,
  type InternChatService,
  type Open,
  open,
  scripted,
  startInternChatService,
} from '../../../harness/interns/intern-chat.ts'
import {
  answer,
  daemonPid,
  type InternReply,
  isRunning,
  runningIntern,
  say,
  tryAnswer,
  trySay,
  untilIntern,
} from '../../../harness/interns/interns.ts'
import { startProcess } from '../../../harness/service/server-process.ts'
import { startTestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

const children = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** The service under test: in this process, or as a separate one. */
type Seen = Pick<InternChatService, 'url' | 'apiKey' | 'ask' | 'testStore' | 'id'>

/** The states in which a run can be killed, each with the remaining part of it for its caller. */
const states = ['running', 'waiting', 'answering'] as const
type State = (typeof states)[number]
type Scene = { sessionId: string; turn?: InternReply; stream?: Open }

/** Brings a run into a state: streaming, waiting for an answer, or streaming again after one. */
async function bring(service: Seen, state: State): Promise<Scene> {
  const sessionId = `${state} ${Math.random()}`
  const hold = 'say hi\nwait 60000'
  if (state === 'running') {
    const messages = [{ role: 'user', content: hold }]
    return { sessionId, stream: await heardHi(service, { session_id: sessionId, messages }) }
  }
  const turn = await say(service, service.id, `permission shell allow_once\n${hold}`, { session_id: sessionId })
  assert.equal(turn.finish, 'tool_calls')
  if (state === 'waiting') return { sessionId, turn }
  const messages = [{ role: 'tool', tool_call_id: turn.question?.id, content: 'allow_once' }]
  return { sessionId, turn, stream: await heardHi(service, { session_id: sessionId, messages }) }
}

async function heardHi(service: Seen, body: object): Promise<Open> {
  const stream = await open(service, service.id, body)
  for (;;) {
    const event = (await stream.next()) as any
    assert.ok(event, 'the stream ended before its first event')
    if (/hi$/.test(event.choices?.[0]?.delta.content ?? '')) return stream
  }
}

/** The caller gets the error that the connection broke, and the reply is complete anyway. */
async function endsSevered({ stream }: Scene): Promise<void> {
  if (!stream) return
  const events = (await stream.rest()).filter((event: Event) => event !== ': keepalive') as any[]
  const [finish, final, done] = events.slice(-3)
  assert.deepEqual(finish?.error?.metadata, { reason: 'stream_severed', retryable: true })
  assert.deepEqual([final.choices, done], [[], '[DONE]'])
}

/** Nothing of the run remains: its question is over, and its session is free. */
async function isOver(service: Seen, { sessionId, turn }: Scene): Promise<void> {
  const late = turn && (await tryAnswer(service, service.id, turn, 'allow_once'))
  if (late) assert.deepEqual([late.status, late.error?.metadata?.reason], [409, 'interaction_not_pending'])
  const second = await say(service, service.id, 'say on', { session_id: sessionId })
  assert.deepEqual([second.text, second.finish], ['on', 'stop'])
}

describe('killed with SIGKILL', () => {
  let service: InternChatService
  before(async () => {
    service = await startInternChatService()
  })
  after(() => service[Symbol.asyncDispose]())

  const pid = () => daemonPid(service.testStore.settings.data_dir, service.id)

  for (const state of states) {
    test(`the agent while a run is ${state}: the run ends, the next turn starts another`, async () => {
      const scene = await bring(service, state)
      const daemon = pid()
      const [agent] = children(daemon)
      process.kill(agent!, 'SIGKILL')
      await endsSevered(scene)
      await until(() => !isRunning(agent!))
      await until(async () => (await daemonOf(service, service.id).health()).runs === 0)
      await isOver(service, scene)
      assert.equal(pid(), daemon)
    })
  }

  for (const state of states) {
    test(`the daemon, while a run is ${state}: the run ends, and the intern runs again`, async () => {
      const scene = await bring(service, state)
      const daemon = pid()
      const [agent] = children(daemon)
      process.kill(daemon, 'SIGKILL')
      await endsSevered(scene)
      await until(() => !isRunning(agent!))
      await untilIntern(service, service.id, 'failed')
      await untilIntern(service, service.id, 'running')
      assert.notEqual(pid(), daemon)
      await isOver(service, scene)
    })
  }
})

describe('the server, killed with SIGKILL and started again', () => {
  for (const state of ['running', 'answering'] as const) {
    test(`the caller while a run is ${state}: the run ends, and the intern continues`, async () => {
      const testStore = await newTestStore('sqlite')
      const first = await startServer(testStore)
      const scene = await bring(first, state)
      const daemon = daemonPid(testStore.settings.data_dir, first.id)
      await first.kill()
      await assert.rejects(scene.stream!.rest())
      await until(async () => (await daemonOf(first, first.id).health()).runs === 0)
      const second = await startServer(testStore, first.id)
      await isOver(second, scene)
      assert.equal(daemonPid(testStore.settings.data_dir, first.id), daemon)
      await second.end()
    })
  }

  test('while a run waits: nothing is lost, also of later output', async () => {
    const testStore = await newTestStore('sqlite')
    const first = await startServer(testStore)
    const turn = await say(first, first.id, 'talk 2000 permission shell allow_once\nsay on')
    await first.kill()
    const second = await startServer(testStore, first.id)
    const reply = await answer(second, first.id, turn, 'allow_once')
    assert.equal(reply.text, `${'x'.repeat(2000)}[allow_once-0]on`)
    assert.equal(reply.chunks[0].id, turn.chunks[0].id)
    await second.end()
  })
})

test('two servers on one Postgres: concurrent runs are answered through the other', {
  skip: process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set',
}, async () => {
  const testStore = await newTestStore('postgres')
  const second = await newTestStore('sqlite')
  const elsewhere = { ...second, settings: { ...testStore.settings, data_dir: second.settings.data_dir } }
  {
    await using one = await startInternChatService({ testStore })
    await using other = await startTestService({ testStore: elsewhere, settings: scripted as object })
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, run) => say(one, one.id, `permission shell allow_once\nsay ${run}`)),
    )
    const busy = await trySay(other, one.id, 'permission shell allow_once')
    assert.deepEqual([busy.status, busy.error?.metadata?.reason], [503, 'busy'])
    const entries = await Promise.all(responses.map((each) => answer(other, one.id, each, 'allow_once')))
    assert.deepEqual(
      entries.map(({ text }) => text),
      responses.map((_, run) => `[allow_once-0]${run}`),
    )
    const late = await tryAnswer(one, one.id, responses[0]!, 'allow_once')
    assert.equal(late.error?.metadata?.reason, 'interaction_not_pending')
  }
  await second.remove()
  await testStore.remove()
})

test('a full disk of the daemon: 502 turn_failed with the reason, then recovery', async (t) => {
  await using service = await startInternChatService()
  const { body } = await service.ask('POST', '/interns', { body: { name: 'small', agent: 'scripted' } })
  const small = { ...service, id: body.id as string }
  const state = join(service.testStore.settings.data_dir, 'interns', small.id, 'state')
  mkdirSync(state, { recursive: true })
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', state])
  if (mount.status !== 0) return t.skip('mounting a small disk takes root')
  try {
    await service.ask('POST', `/interns/${small.id}/provision`)
    await untilIntern(service, small.id, 'running')
    assert.equal((await say(service, small.id, 'say hi')).text, 'hi')
    const ballast = join(state, 'ballast')
    fill(ballast)
    // The journal has some free space itself, which lasts for a few turns.
    const refused = await until(async () => {
      const turn = await trySay(service, small.id, 'say hi')
      return turn.status !== 200 && turn
    })
    assert.deepEqual([refused.status, refused.error?.metadata?.reason], [502, 'turn_failed'])
    assert.match(refused.error?.message ?? '', /could not save its (state|transcript)/)
    rmSync(ballast)
    assert.equal((await say(service, small.id, 'say room again')).text, 'room again')
    await service.ask('POST', `/interns/${small.id}/suspend`)
  } finally {
    spawnSync('umount', [state])
  }
})

function fill(file: string): void {
  for (const size of [65_536, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch {
      // No space for another piece of this size.
    }
  }
}

test("when the server's clock jumps, deadlines remain and dead daemons are noticed", async () => {
  let jumped = 0
  await using service = await startInternChatService({ now: () => Date.now() + jumped })
  for (const hours of [2, -2]) {
    const turn = await say(service, service.id, 'permission shell allow_once\nsay on')
    jumped = hours * 3_600_000
    await new Promise((resolve) => setTimeout(resolve, 1200))
    assert.equal((await answer(service, service.id, turn, 'allow_once')).text, '[allow_once-0]on')
    process.kill(daemonPid(service.testStore.settings.data_dir, service.id), 'SIGKILL')
    await untilIntern(service, service.id, 'failed')
    await untilIntern(service, service.id, 'running')
  }
})

/** A server as a separate process, with an intern that plays scripts: a new one, or the existing one. */
async function startServer(testStore: TestStore, existingId?: string) {
  const apiKey = `sb-v1-${'b'.repeat(64)}`
  const server = startProcess({
    DATA_DIR: testStore.settings.data_dir,
    BOOTSTRAP_API_KEY: apiKey,
    ALLOW_CUSTOM_AGENTS: 'true',
    INTERN_USERS_FROM: '0',
  })
  const url = await server.url
  const ask: InternChatService['ask'] = async (method, path, { body } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
  const { command, args } = scripted.agents.scripted
  const id = existingId ?? (await runningIntern({ ask }, { agent: { command, args } })).id
  return {
    ...{ url, apiKey, ask, testStore, id },
    kill: async () => {
      server.signal('SIGKILL')
      await server.ended
    },
    /** Ends it permanently: no process of its intern must remain. */
    end: async () => {
      const daemon = daemonPid(testStore.settings.data_dir, id)
      const all = [daemon, ...children(daemon)]
      server.signal('SIGINT')
      await server.ended
      assert.deepEqual(all.filter(isRunning), [])
      await testStore.remove()
    },
  }
}

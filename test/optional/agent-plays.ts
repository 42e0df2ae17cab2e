import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Config } from '#platform/config/settings.ts'
import { newTestStore } from '#test/harness/database/databases.ts'
import { type Open, open } from '#test/harness/interns/intern-chat.ts'
import { workspaceOf } from '#test/harness/interns/intern-files.ts'
import {
  answer,
  daemonPid,
  type InternReply,
  runningIntern,
  tryAnswer,
  trySay,
  untilIntern,
} from '#test/harness/interns/interns.ts'
import { freePort } from '#test/harness/service/free-port.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'
import type { AgentFacts, Behaviour } from './agent-facts.ts'

export type AgentWorld = {
  facts: AgentFacts
  service: TestService
  id: string
  /** Replaces the server while the intern keeps running; or restarts both with other settings. */
  restart: (settings?: Partial<Config>) => Promise<void>
  close: () => Promise<void>
}

const toolServer = fileURLToPath(new URL('../mcp/stdio-server.ts', import.meta.url))
const patienceMs = 180_000

export async function openAgentWorld(facts: AgentFacts, agents: Config['agents']): Promise<AgentWorld> {
  const testStore = await newTestStore('sqlite')
  // Agents know the service by the URL that it had when they were started.
  const settings = { agents, port: await freePort(), keep_interns_running: 'true' as unknown as boolean }
  const start = (more: Partial<Config> = {}) => startTestService({ testStore, settings: { ...settings, ...more } })
  const service = await start()
  const { id } = await runningIntern(service, {
    agent: facts.agent,
    mcp_servers: [{ name: 'tools', command: process.execPath, args: [toolServer] }],
  })
  const world: AgentWorld = {
    facts,
    service,
    id,
    async restart(more) {
      await world.service.stop()
      world.service = await start(more)
      if (!more) return
      await world.service.ask('POST', `/interns/${id}/suspend`)
      await world.service.ask('POST', `/interns/${id}/provision`)
      await untilIntern(world.service, id, 'running')
    },
    async close() {
      await world.service.ask('POST', `/interns/${id}/suspend`)
      await world.service.stop()
      await testStore.remove()
    },
  }
  return world
}

const send = ({ service, id }: AgentWorld, content: string, more: object = {}) => trySay(service, id, content, more)
const selfDrive = { approval_mode: 'self-drive' }
const wholeQuestion = async ({ service, id }: AgentWorld, { question }: InternReply) =>
  (await service.ask('GET', `/interns/${id}/questions/${question?.id}`)).body.data

async function askedFor(world: AgentWorld, word: string, more: object = {}): Promise<InternReply> {
  const turn = await send(world, world.facts.command(word), more)
  assert.equal(turn.question?.arguments.kind, 'permission', turn.error?.message ?? turn.text)
  return turn
}

/** An interrupted session continues without loss. Some agents repeat the prompt of the interrupted turn. */
async function remembersSession(world: AgentWorld, sessionId = '', expected = /Hello again/): Promise<void> {
  const turn = await until(async () => {
    const second = await send(world, 'Hello again', { session_id: sessionId })
    return (second.error?.metadata as { retryable?: boolean } | undefined)?.retryable !== true && second
  }, patienceMs)
  assert.equal(turn.error, undefined)
  assert.equal(turn.finish, 'stop')
  assert.match(turn.text, expected)
  assert.doesNotMatch(JSON.stringify(turn.chunks), /is lost/)
}

async function piece(streaming: Open, text: string): Promise<void> {
  for (let event = await streaming.next(); event; event = await streaming.next())
    if (JSON.stringify(event).includes(text)) return
  assert.fail(`${text} never came`)
}

export const plays: Record<Behaviour, (world: AgentWorld) => Promise<void>> = {
  async start(world) {
    const turn = await send(world, 'Hello')
    assert.match(turn.text, /You said: Hello/)
    assert.equal(turn.finish, 'stop')
    assert.ok(await until(async () => (await world.service.manage('GET', '/activity')).body.data[0]))
  },

  async 'self-drive'(world) {
    const turn = await send(world, world.facts.command('driven'), selfDrive)
    assert.match(turn.text, world.facts.allowed('driven'))
    assert.equal(turn.finish, 'stop')
  },

  async 'allow once'(world) {
    const question = await askedFor(world, 'once')
    const turn = await answer(world.service, world.id, question, 'allow_once')
    assert.match(turn.text, world.facts.allowed('once'))
    const second = await askedFor(world, 'once', { session_id: question.sessionId })
    await answer(world.service, world.id, second, 'reject_once')
  },

  async reject(world) {
    const turn = await answer(world.service, world.id, await askedFor(world, 'never'), 'reject_once')
    assert.match(turn.text, world.facts.refused)
    assert.doesNotMatch(turn.text, /Output: never/)
    assert.equal(turn.finish, 'stop')
  },

  async question(world) {
    const question = await send(world, 'question')
    const { fields } = (question.question?.arguments ?? {}) as { fields?: { name: string }[] }
    assert.ok(fields, question.text)
    const all = { ...filled, [fields[0]!.name]: 'staging' }
    const content = Object.fromEntries(
      Object.entries(all).filter(([name]) => fields.some((field) => field.name === name)),
    )
    const turn = await answer(world.service, world.id, question, JSON.stringify({ action: 'accept', content }))
    assert.match(turn.text, /staging/)
  },

  async 'diff in permission'(world) {
    const path = `${workspaceOf(world.service, world.id)}/${world.facts.agent === 'codex' ? '../' : ''}evil.sh`
    // The builtin agent writes into its workspace without asking, unless a rule has it ask.
    const rules = [{ effect: 'ask', tools: ['edit'] }]
    await world.service.ask('PUT', `/interns/${world.id}/rules`, { body: { rules } })
    const turn = await send(world, `write ${path}: rm -rf everything`)
    assert.equal(turn.question?.arguments.kind, 'permission', turn.text)
    const { detail, changes } = await wholeQuestion(world, turn)
    assert.match(detail, /evil\.sh/)
    // For an agent that does not report changes, the arguments are shown.
    assert.match(changes[0]?.diff ?? detail, /rm -rf everything/)
    await answer(world.service, world.id, turn, 'reject_once')
  },

  async usage(world) {
    const turn = await send(world, 'Hello')
    assert.ok(turn.chunks.at(-1).usage.total_tokens > 0)
    assert.equal(typeof turn.chunks.at(-1).usage.cost, 'number')
  },

  async 'MCP tool'(world) {
    assert.match((await send(world, world.facts.useTool, selfDrive)).text, world.facts.used)
  },

  async 'file in'(world) {
    const text = `read ${workspaceOf(world.service, world.id)}/attachments/notes.txt for me`
    const file = {
      filename: 'notes.txt',
      file_data: `data:text/plain;base64,${Buffer.from('green tea').toString('base64')}`,
    }
    const content = [
      { type: 'text', text },
      { type: 'file', file },
    ] as unknown as string
    const turn = await send(world, content, selfDrive)
    assert.match(turn.text, /green tea/)
  },

  async abort(world) {
    const { sessionId } = await send(world, 'Hello')
    const body = { session_id: sessionId, messages: [{ role: 'user', content: 'stream 500 50' }] }
    const streaming = await open(world.service, world.id, body)
    await piece(streaming, 'piece-3')
    streaming.leave()
    await remembersSession(world, sessionId)
  },

  async restart(world) {
    const question = await askedFor(world, 'later')
    await world.restart()
    assert.match((await answer(world.service, world.id, question, 'allow_once')).text, world.facts.allowed('later'))
    await remembersSession(world, question.sessionId)
  },

  async 'agent killed'(world) {
    const { sessionId } = await send(world, 'Hello')
    const content = 'stream 200 50'
    const streaming = await open(world.service, world.id, {
      session_id: sessionId,
      messages: [{ role: 'user', content }],
    })
    await piece(streaming, 'piece-3')
    const daemon = daemonPid(world.service.testStore.settings.data_dir, world.id)
    for (const pid of readFileSync(`/proc/${daemon}/task/${daemon}/children`, 'utf8').trim().split(' '))
      process.kill(Number(pid), 'SIGKILL')
    assert.match(JSON.stringify(await streaming.rest()), /"error"/)
    await remembersSession(world, sessionId, /Hello again|piece-200/)
  },

  async 'daemon killed'(world) {
    const { sessionId } = await send(world, 'Hello')
    const dataDir = world.service.testStore.settings.data_dir
    const daemon = daemonPid(dataDir, world.id)
    process.kill(daemon, 'SIGKILL')
    await until(() => daemonPid(dataDir, world.id) !== daemon, patienceMs)
    await untilIntern(world.service, world.id, 'running', patienceMs)
    await remembersSession(world, sessionId)
  },

  async deadline(world) {
    await world.restart({ intern_question_ms: 3000 })
    const question = await askedFor(world, 'late')
    await until(
      async () => (await world.service.ask('GET', `/interns/${world.id}/questions`)).body.data.length === 0,
      patienceMs,
    )
    const late = await tryAnswer(world.service, world.id, question, 'allow_once')
    assert.deepEqual([late.status >= 400, late.error?.metadata?.reason], [true, 'interaction_not_pending'])
    await remembersSession(world, question.sessionId)
    await world.restart({})
  },

  async 'allow always'(world) {
    const question = await askedFor(world, 'always')
    assert.ok(question.question?.arguments.options?.includes('allow_always'), `${question.question?.arguments.options}`)
    const { allowed, command } = world.facts
    // The ids distinguish several options of one kind.
    const lasting = question.question?.arguments.choices?.filter(({ kind }) => kind === 'allow_always') ?? []
    const option = lasting.length > 1 ? lasting[0]!.id : 'allow_always'
    assert.match((await answer(world.service, world.id, question, option)).text, allowed('always'))
    const second = await send(world, command('always'), { session_id: question.sessionId })
    assert.match(second.text, allowed('always'))
    assert.equal(second.finish, 'stop')
  },
}

/** The builtin agent asks for more than one thing. */
const filled = { replicas: 2, confirmed: true }

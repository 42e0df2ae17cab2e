import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { client, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import { type InternChatService, open, scripted, startInternChatService } from '#test/harness/interns/intern-chat.ts'
import { runningIntern, say } from '#test/harness/interns/interns.ts'
import { killAfterTests } from '#test/harness/service/leftovers.ts'
import { until } from '#test/harness/until.ts'

const program = fileURLToPath(new URL('../../../bin/signalbox.js', import.meta.url))

type Answers = { permission?: (params: any, withdrawn: AbortSignal) => unknown; form?: (params: any) => unknown }

/** Runs `signalbox acp` as a process, with an editor as its client. */
async function editor(service: InternChatService, { permission, form }: Answers = {}, intern = 'ada') {
  const env = { PATH: process.env.PATH, SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.apiKey }
  const child = spawn(process.execPath, [program, 'acp', intern], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  killAfterTests(child)
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  const updates: any[] = []
  const app = client({ name: 'editor' }).onNotification(
    'session/update',
    ({ params }) => void updates.push(params.update),
  )
  app.onRequest('session/request_permission', ({ params, signal }) => (permission?.(params, signal) ?? {}) as never)
  app.onRequest('elicitation/create', ({ params }) => (form?.(params) ?? {}) as never)
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>)
  const { agent } = app.connect(stream)
  const greeting = await agent.request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: form ? { elicitation: { form: {} } } : {},
  })
  const texts = (kind: string) =>
    updates.flatMap((update) => (update.sessionUpdate === kind ? [update.content.text] : [])).join('')
  return {
    agent,
    greeting,
    updates,
    replyText: () => texts('agent_message_chunk'),
    reasoningText: () => texts('agent_thought_chunk'),
    promptText: () => texts('user_message_chunk'),
    begin: () => agent.request('session/new', { cwd: '/', mcpServers: [] }),
    ask: (sessionId: string, text: string) =>
      agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    async leaves() {
      child.stdin.end()
      const [code] = await once(child, 'close')
      return { code, err }
    },
  }
}

const chosen = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } })

describe('signalbox acp', () => {
  let service: InternChatService
  before(async () => {
    const { command, args } = scripted.agents.scripted
    const seeing = { command, args: [...args, 'image', 'embedded'], env: {} }
    service = await startInternChatService({ settings: { agents: { ...scripted.agents, seeing } } })
  })
  after(() => service[Symbol.asyncDispose]())

  test('a reply is streamed: reasoning, text, tool calls with diffs, the plan', async () => {
    const mine = await editor(service)
    assert.equal(mine.greeting.agentInfo?.title, 'Signalbox: ada')
    const { sessionId, modes } = await mine.begin()
    assert.equal(modes?.currentModeId, 'manual')
    const work = 'work edit a.txt {"before": "one\\nold", "after": "one\\nnew"}'
    const { stopReason } = await mine.ask(sessionId, `think hm\nsay hello\n${work}\nplan read, write`)
    assert.equal(stopReason, 'end_turn')
    await until(() => mine.updates.some(({ sessionUpdate }) => sessionUpdate === 'plan'))
    assert.deepEqual([mine.reasoningText(), mine.replyText()], ['hm', 'hello'])
    const calls = mine.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'))
    assert.deepEqual(
      calls.map(({ sessionUpdate }) => sessionUpdate),
      ['tool_call', 'tool_call_update', 'tool_call_update'],
    )
    const { status, kind, locations, content, rawInput } = calls.at(-1)
    assert.deepEqual([status, kind, locations, rawInput], ['completed', 'edit', [{ path: 'a.txt' }], { path: 'a.txt' }])
    assert.deepEqual(content[0], { type: 'diff', path: 'a.txt', oldText: 'one\nold', newText: 'one\nnew' })
    assert.deepEqual(await mine.leaves(), { code: 0, err: '' })
  })

  test('a permission has all details, and its answer continues the run', async () => {
    const requests: any[] = []
    const mine = await editor(service, {
      permission: (params) => {
        requests.push(params)
        return chosen('allow_once')
      },
    })
    const { sessionId } = await mine.begin()
    const long = 'x'.repeat(50_000)
    await mine.ask(sessionId, `permission shell allow_once reject_once\nedit run.sh {"after": "x", "repeat": 50000}`)
    assert.match(mine.replyText(), /\[allow_once-0\]\[.*"optionId":"yes".*\]$/)
    const [first, second] = requests
    assert.deepEqual(
      first.options.map(({ optionId, kind }: any) => [optionId, kind]),
      [
        ['allow_once', 'allow_once'],
        ['reject_once', 'reject_once'],
      ],
    )
    assert.deepEqual(second.toolCall.content, [{ type: 'diff', path: 'run.sh', oldText: null, newText: long }])
    await mine.leaves()
  })

  test('a form is forwarded, or declined if the editor does not support forms', async () => {
    const schema = JSON.stringify({
      type: 'object',
      properties: { city: { type: 'string', enum: ['Oslo', 'Rome'] }, days: { type: 'integer' } },
      required: ['city'],
    })
    const forms: any[] = []
    const able = await editor(service, {
      form: (params) => {
        forms.push(params.requestedSchema)
        return { action: 'accept', content: { city: 'Oslo', days: 2 } }
      },
    })
    await able.ask((await able.begin()).sessionId, `ask ${schema}`)
    assert.match(able.replyText(), /"city":"Oslo"/)
    assert.deepEqual(forms[0].properties.city, { type: 'string', enum: ['Oslo', 'Rome'] })
    const unable = await editor(service)
    await unable.ask((await unable.begin()).sessionId, `ask ${schema}`)
    assert.match(unable.replyText(), /The intern asks: .*"action":"decline"/s)
    await Promise.all([able.leaves(), unable.leaves()])
  })

  test('cancelling a turn ends the run, also at a question', async () => {
    let waits = false
    const mine = await editor(service, {
      permission: (_params, withdrawn) => {
        waits = true
        return new Promise((resolve) =>
          withdrawn.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } })),
        )
      },
    })
    const { sessionId } = await mine.begin()
    const streaming = mine.ask(sessionId, 'stream 1000 50')
    await until(() => mine.replyText().includes('word3'))
    const reloading = mine.agent.request('session/load', { sessionId, cwd: '/', mcpServers: [] })
    await assert.rejects(reloading, /busy with another prompt/)
    await mine.agent.notify('session/cancel', { sessionId })
    assert.equal((await streaming).stopReason, 'cancelled')
    const asking = mine.ask(sessionId, 'permission shell allow_once')
    await until(() => waits)
    await mine.agent.notify('session/cancel', { sessionId })
    assert.equal((await asking).stopReason, 'cancelled')
    assert.equal((await mine.ask(sessionId, 'say after')).stopReason, 'end_turn')
    assert.match(mine.replyText(), /after$/)
    await mine.leaves()
  })

  test('a question that another client answers is withdrawn from the editor', async () => {
    let waits = false
    const mine = await editor(service, {
      permission: (_params, withdrawn) => {
        waits = true
        return new Promise((resolve) =>
          withdrawn.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } })),
        )
      },
    })
    const { sessionId } = await mine.begin()
    const asking = mine.ask(sessionId, 'permission shell allow_once')
    await until(() => waits)
    const { body } = await service.ask('GET', '/interns/ada/questions')
    const { id } = body.data.find((question: { session_id: string }) => question.session_id === sessionId)
    const messages = [{ role: 'tool', tool_call_id: id, content: 'allow_once' }]
    await open(service, service.id, { session_id: sessionId, messages }).then((reply) => reply.rest())
    assert.equal((await asking).stopReason, 'end_turn')
    assert.match(mine.replyText(), /answered the question: allow_once\./)
    await mine.leaves()
  })

  test('the reply continues after the agent has withdrawn its question', async () => {
    const mine = await editor(service, { permission: () => new Promise(() => {}) })
    const { sessionId } = await mine.begin()
    const { stopReason } = await mine.ask(sessionId, 'withdraw 300\nwait 500\nsay the rest')
    assert.equal(stopReason, 'end_turn')
    assert.match(mine.replyText(), /has withdrawn the question\.\)[\s\S]*the rest$/)
    await mine.leaves()
  })

  test('a restarted editor loads its sessions and answers open questions', async () => {
    const { sessionId } = await say(service, 'ada', 'say earlier\npermission shell allow_once\nsay later')
    const mine = await editor(service, { permission: () => chosen('allow_once') })
    const { sessions } = await mine.agent.request('session/list', {})
    assert.ok(sessions.some((session) => session.sessionId === sessionId))
    await mine.agent.request('session/load', { sessionId: sessionId!, cwd: '/', mcpServers: [] })
    await until(() => mine.replyText() === 'earlier')
    assert.match(mine.promptText(), /^say earlier/)
    await mine.ask(sessionId!, 'say now')
    assert.equal(mine.replyText(), 'earlier[allow_once-0]laternow')
    const unknown = mine.agent.request('session/load', { sessionId: 'nowhere', cwd: '/', mcpServers: [] })
    await assert.rejects(unknown, /not found/i)
    const empty = await mine.begin()
    await mine.agent.request('session/load', { ...empty, cwd: '/', mcpServers: [] })
    await mine.leaves()
  })

  test('the modes of the intern are offered, and errors are one sentence', async () => {
    const mine = await editor(service)
    const { sessionId } = await mine.begin()
    await mine.agent.request('session/set_mode', { sessionId, modeId: 'self-drive' })
    await mine.ask(sessionId, 'permission shell allow_once')
    assert.match(mine.replyText(), /\[allow_once-0\]/)
    await assert.rejects(mine.ask(sessionId, 'fail Something is broken'), /Something is broken/)
    await assert.rejects(mine.agent.request('session/set_mode', { sessionId, modeId: 'x' }), /manual or self-drive/)
    const image = { type: 'image' as const, mimeType: 'image/png', data: '' }
    await assert.rejects(mine.agent.request('session/prompt', { sessionId, prompt: [image] }), /is empty/)
    await mine.leaves()
    const nobody = await editor(service, {}, 'nobody')
    await assert.rejects(nobody.begin(), /refused \(404\)/)
    await nobody.leaves()
    await runningIntern(service, { name: 'careful', agent: 'scripted', approval_mode: 'manual' })
    const careful = await editor(service, {}, 'careful')
    assert.deepEqual(
      (await careful.begin()).modes?.availableModes.map(({ id }) => id),
      ['manual'],
    )
    await careful.leaves()
  })

  test('images and files are sent with a prompt', async () => {
    await runningIntern(service, { name: 'seeing', agent: 'seeing' })
    const [able, unable] = await Promise.all([editor(service, {}, 'seeing'), editor(service)])
    const image = { type: 'image' as const, mimeType: 'image/png', data: 'iVBORw0KGgo=' }
    const blob = Buffer.from('a,b').toString('base64')
    const resource = { uri: 'file:///home/me/sums.csv', mimeType: 'text/csv', blob }
    const prompt = [{ type: 'text' as const, text: 'blocks' }, image, { type: 'resource' as const, resource }]
    await able.agent.request('session/prompt', { ...(await able.begin()), prompt })
    const [seen, read] = JSON.parse(able.replyText())
    assert.deepEqual(seen, { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' })
    assert.equal(read.resource.text, 'a,b')
    assert.match(read.resource.uri, /\/sums\.csv$/)
    const refused = unable.agent.request('session/prompt', { ...(await unable.begin()), prompt })
    await assert.rejects(refused, /content\[1\].*image\/png.*it accepts text/)
    await Promise.all([able.leaves(), unable.leaves()])
  })

  test('a disconnected editor ends its turns', async () => {
    const mine = await editor(service)
    const { sessionId } = await mine.begin()
    mine.ask(sessionId, 'stream 1000 50').catch(() => {})
    await until(() => mine.replyText().includes('word1'))
    assert.equal((await mine.leaves()).code, 0)
    await until(async () => {
      const { body } = await service.ask('GET', `/interns/ada/sessions/${sessionId}`)
      return body.data.session.status === 'idle'
    })
  })
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConfined } from '#platform/files/confined-folder.ts'
import { z } from '#platform/json/schema.ts'
import { modelWithResponses, newFolder, realShell } from '#test/harness/interns/scripted-agent.ts'
import { type Model, ModelFault } from '../model/model.ts'
import { Processes } from '../sandbox/processes.ts'
import { defineTool, type Tool, type ToolContext } from '../tools/tool.ts'
import type { AgentEvent } from './agent-event.ts'
import { runTurn, type TurnDeps } from './loop.ts'
import { createSessionStore } from './session/session-store.ts'

/** A tool that records when it starts and ends. */
function noting(name: string, alone: boolean, order: string[]): Tool {
  return defineTool({
    name,
    description: 'Notes.',
    kind: 'other',
    runsAlone: alone,
    input: z.object({}),
    title: () => name,
    async run(_input, { signal }) {
      order.push(`${name} begins`)
      await sleep(20, undefined, { signal })
      order.push(`${name} ends`)
      return name
    },
  })
}

async function setUp(model: Model, options: Partial<TurnDeps> = {}) {
  const folder = await newFolder()
  const log = await createSessionStore(folder.path).create('s', folder.path, 0)
  const events: AgentEvent[] = []
  const abort = new AbortController()
  const context: ToolContext = {
    workspace: await openConfined(folder.path),
    shell: realShell(),
    processes: new Processes(),
    mode: 'manual',
    signal: abort.signal,
    requestPermission: async () => true,
    askClientRules: async () => true,
    notifyProgress: () => {},
    ask: async () => ({ action: 'cancel' }),
    showPlan: async () => {},
    elicit: async () => ({ action: 'cancel' }),
    delegate: async () => '',
  }
  const deps: TurnDeps = {
    model,
    tools: [],
    systemPrompt: 'be good',
    windowTokens: 100_000,
    hasImageInput: false,
    hasWorkspaceNotes: false,
    maxSteps: 10,
    log,
    notify: async (event) => void events.push(event),
    toolContextOf: () => context,
    signal: abort.signal,
    now: () => 0,
    ...options,
  }
  const results = () => log.session.context.flatMap((each) => (each.role === 'tool' ? [each.text] : []))
  return {
    deps,
    log,
    events,
    abort,
    results,
    async [Symbol.asyncDispose]() {
      await log.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('the model is called until it calls no tools, and receives the whole history', async () => {
  const { model, requests } = modelWithResponses([[{ name: 'look' }], 'done'])
  await using at = await setUp(model, { tools: [noting('look', false, [])] })
  assert.equal(await runTurn(at.deps, 'go'), 'end_turn')
  assert.deepEqual(
    requests[1]?.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool'],
  )
  assert.deepEqual(
    at.events.map(({ type }) => type),
    ['tool.called', 'tool.finished', 'text.added'],
  )
})

test('read-only calls run in parallel, changing calls run in order', async () => {
  const order: string[] = []
  const names = ['a', 'b', 'WRITE', 'SHELL', 'c']
  const { model } = modelWithResponses([names.map((name) => ({ name })), 'done'])
  await using at = await setUp(model, { tools: names.map((name) => noting(name, name === name.toUpperCase(), order)) })
  await runTurn(at.deps, 'go')
  assert.deepEqual(order.slice(0, 2), ['a begins', 'b begins'])
  assert.deepEqual(order.slice(4), ['WRITE begins', 'WRITE ends', 'SHELL begins', 'SHELL ends', 'c begins', 'c ends'])
})

test('an unknown tool, broken arguments and a failing tool are results the model reads', async () => {
  const fails: Tool = { ...noting('fails', false, []), run: () => Promise.reject(new Error('no such luck')) }
  const calls = [{ name: 'nosuch' }, { name: 'fails', arguments: '{"a":' }, { name: 'fails' }]
  await using at = await setUp(modelWithResponses([calls, 'done']).model, { tools: [fails] })
  await runTurn(at.deps, 'go')
  const [unknown, broken, failed] = at.results()
  assert.match(broken ?? '', /not a JSON object: Unexpected end of JSON input\. Send them again/)
  assert.match(unknown ?? '', /Unknown tool nosuch\. Available tools: fails/)
  assert.equal(failed, 'Error: no such luck')
})

test('a model that never stops calling is stopped', async () => {
  const { model } = modelWithResponses(Array.from({ length: 20 }, () => [{ name: 'look' }]))
  await using at = await setUp(model, { tools: [noting('look', false, [])], maxSteps: 3 })
  assert.equal(await runTurn(at.deps, 'go'), 'max_turn_requests')
})

test('the output before a failure of the model stays in the session', async () => {
  const model: Model = async function* () {
    yield { type: 'text.added', text: 'It started ' }
    throw new ModelFault('broke off', { retryable: true })
  }
  await using at = await setUp(model)
  await assert.rejects(runTurn(at.deps, 'go'), /broke off/)
  assert.deepEqual(at.log.session.context.at(-1), { role: 'assistant', text: 'It started ' })
})

test('calls without a result after a killed turn get one before the next request', async () => {
  const { model, requests } = modelWithResponses(['fine'])
  await using at = await setUp(model)
  const calls = [{ id: 'lost', name: 'shell', arguments: '{}' }]
  await at.log.add({ type: 'message.added', message: { role: 'assistant', text: '', calls }, at: 0 })
  await runTurn(at.deps, 'continue')
  assert.deepEqual(
    requests[0]?.messages.map(({ role }) => role),
    ['system', 'assistant', 'tool', 'user'],
  )
})

test('cancelling ends the tool, and the calls after it are not run', async () => {
  const order: string[] = []
  const { model } = modelWithResponses([[{ name: 'A' }, { name: 'B' }], 'done'])
  const started = Promise.withResolvers<void>()
  // It ends only by the signal: nothing else can end it first.
  const lasting: Tool = {
    ...noting('A', true, order),
    async run(_input, { signal }) {
      order.push('A begins')
      started.resolve()
      await once(signal, 'abort')
      throw signal.reason
    },
  }
  await using at = await setUp(model, { tools: [lasting, noting('B', true, order)] })
  const turn = runTurn(at.deps, 'go')
  await started.promise
  at.abort.abort()
  await assert.rejects(turn, { name: 'AbortError' })
  assert.deepEqual(order, ['A begins'])
  assert.deepEqual(at.results(), ['Cancelled.', 'Cancelled before it was run.'])
})

test('a full context window is summarized, except the newest messages', async () => {
  const { model, requests } = modelWithResponses(['ok', 'SUMMARY', 'fine'])
  await using at = await setUp(model, { windowTokens: 1_000 })
  await runTurn(at.deps, `old ${'x'.repeat(3_000)}`)
  await runTurn(at.deps, `new ${'y'.repeat(400)}`)
  assert.equal(requests[1]?.tools.length, 0)
  const [, summary, ...rest] = requests[2]!.messages
  assert.match(summary?.text ?? '', /SUMMARY/)
  assert.deepEqual(
    rest.map(({ text }) => text),
    ['ok', `new ${'y'.repeat(400)}`],
  )
})

test('the cost of a summary is counted too', async () => {
  const model: Model = async function* ({ tools }) {
    const usage = { promptTokens: 10, completionTokens: 1, costUsd: tools.length ? 0.5 : 0.25 }
    yield { type: 'text.added', text: 'x' }
    yield { type: 'message.completed', message: { role: 'assistant', text: 'x' }, finish: 'stop', usage }
  }
  await using at = await setUp(model, { windowTokens: 1_000, tools: [noting('look', false, [])] })
  await runTurn(at.deps, 'x'.repeat(4_000))
  assert.equal(at.log.session.costUsd, 0.75)
  assert.equal(at.events.filter(({ type }) => type === 'usage.counted').length, 2)
})

test('when the summary fails too, a cut text takes its place', async () => {
  const { model, requests } = modelWithResponses(['ok', new ModelFault('no', { retryable: true }), 'fine'])
  await using at = await setUp(model, { windowTokens: 1_000 })
  await runTurn(at.deps, `old ${'x'.repeat(3_000)}`)
  await runTurn(at.deps, `new ${'y'.repeat(400)}`)
  assert.match(requests[2]!.messages[1]!.text, /summarised here.*\[user\] old xxx.*omitted/s)
})

test('a context is compacted repeatedly until it fits an unknown window', async () => {
  const prompts: number[] = []
  const model: Model = async function* ({ messages, tools }) {
    const size = messages.reduce((sum, { text }) => sum + text.length, 0)
    if (tools.length) prompts.push(size)
    if (size > 4 * 1_000) throw new ModelFault('too long', { retryable: false, isContextTooLong: true })
    yield { type: 'message.completed', message: { role: 'assistant', text: 'fine' }, finish: 'stop' }
  }
  await using at = await setUp(model, { windowTokens: 128_000, tools: [noting('look', false, [])] })
  for (let turn = 0; turn < 12; turn++) assert.equal(await runTurn(at.deps, 'x'.repeat(3_000)), 'end_turn')
  assert.ok(prompts.length > 12)
})

test('one result takes only a part of a small window', async () => {
  const long = defineTool({
    name: 'long',
    description: 'Long.',
    kind: 'other',
    runsAlone: false,
    input: z.object({}),
    title: () => 'long',
    run: async () => 'x'.repeat(100_000),
  })
  const { model } = modelWithResponses([[{ name: 'long' }], 'done'])
  await using at = await setUp(model, { windowTokens: 8_000, tools: [long] })
  await runTurn(at.deps, 'go')
  assert.ok(at.results()[0]!.length < 8_000 * 4 * 0.35)
})

test('a context that the provider refuses as too long is compacted and sent again', async () => {
  const { model, requests } = modelWithResponses([
    'ok',
    new ModelFault('too long', { retryable: false, isContextTooLong: true }),
    'SUMMARY',
    'fine',
  ])
  await using at = await setUp(model, { windowTokens: 10_000 })
  await runTurn(at.deps, 'x'.repeat(20_000))
  assert.equal(await runTurn(at.deps, 'new'), 'end_turn')
  assert.equal(requests.length, 4)
  assert.ok(requests[3]!.messages.every(({ text }) => text.length < 10_000))
})

/** A tool that records its input, or fails. */
const taking = (kind: Tool['kind'], inputs: unknown[], fails = false): Tool => ({
  ...noting(kind, true, []),
  kind,
  run: async (input) => {
    inputs.push(input)
    if (fails) throw new Error('no')
    return 'yes'
  },
})

test('a call of another agent’s tool is answered with the equivalent tool’s name', async () => {
  const shell = { ...noting('shell', true, []), name: 'shell' }
  await using at = await setUp(modelWithResponses([[{ name: 'Bash' }, { name: 'x' }], 'done']).model, {
    tools: [shell],
  })
  await runTurn(at.deps, 'go')
  assert.match(at.results()[0]!, /^Error: Unknown tool Bash\. Use shell, which takes/)
  assert.equal(at.results()[1], 'Error: Unknown tool x. Available tools: shell.')
})

test('arguments can contain raw line breaks; the position of invalid JSON is reported', async () => {
  const inputs: unknown[] = []
  const calls = ['{"a": "one\n\ttwo"}', '{"a": "one "b" c"}', '["a"]'].map((text) => ({
    name: 'edit',
    arguments: text,
  }))
  await using at = await setUp(modelWithResponses([calls, 'done']).model, { tools: [taking('edit', inputs)] })
  await runTurn(at.deps, 'go')
  assert.deepEqual(inputs, [{ a: 'one\n\ttwo' }])
  assert.match(at.results()[1]!, /not a JSON object: .* at position 12, after "\{\\"a\\": \\"one \\"/)
  assert.match(at.results()[2]!, /not a JSON object: they are an array or a single value/)
})

test('a call truncated by the output limit is not run; the model must send less', async () => {
  const inputs: unknown[] = []
  const cut: Model = async function* ({ messages }) {
    const calls = ['{}', '{"a": "b'].map((text, index) => ({ id: `c${index}`, name: 'edit', arguments: text }))
    const first = messages.length === 2
    const message = { role: 'assistant' as const, text: first ? '' : 'done', ...(first && { calls }) }
    yield { type: 'message.completed', message, finish: first ? 'length' : 'stop' }
  }
  await using at = await setUp(cut, { tools: [taking('edit', inputs)] })
  await runTurn(at.deps, 'go')
  assert.deepEqual(inputs, [{}])
  assert.match(at.results()[1]!, /cut off at the model's output limit.*it was not run\. Write less/s)
})

test('a repeated call with the same result gets a note, unless something changed', async () => {
  const same = [{ name: 'execute' }]
  const responses = [same, same, [{ name: 'edit' }], same, [{ name: 'fetch' }], [{ name: 'fetch' }], 'done']
  const tools = [taking('execute', []), taking('edit', []), taking('fetch', [], true)]
  await using at = await setUp(modelWithResponses(responses).model, { tools })
  await runTurn(at.deps, 'go')
  const hasNote = at.results().map((text) => text.includes('This call was made before'))
  assert.deepEqual(hasNote, [false, true, false, false, false, true])
})

test('a change without a check gets one reminder if the workspace has instructions', async () => {
  const turns = async (hasWorkspaceNotes: boolean, ...responses: Parameters<typeof modelWithResponses>[0]) => {
    const { model, requests } = modelWithResponses(responses)
    await using at = await setUp(model, { hasWorkspaceNotes, tools: [taking('edit', []), taking('execute', [])] })
    assert.equal(await runTurn(at.deps, 'go'), 'end_turn')
    return requests
  }
  const [edit, check] = [[{ name: 'edit' }], [{ name: 'execute' }]]
  const responses = await turns(true, edit, 'done', 'I cannot')
  assert.match(responses[2]!.messages.at(-1)!.text, /^<system-reminder>\nYou changed files, and ran nothing since/)
  assert.equal(responses.length, 3)
  assert.equal((await turns(true, edit, check, 'done')).length, 3)
  assert.equal((await turns(true, check, 'done')).length, 2)
  assert.equal((await turns(false, edit, 'done')).length, 2)
})

test('calls that repeat an id get an own id, in one answer and across answers', async () => {
  const call = { id: 'call_0', name: 'look' }
  const { model } = modelWithResponses([[call, call], [call], 'done'])
  await using at = await setUp(model, { tools: [noting('look', false, [])] })
  await runTurn(at.deps, 'go')
  const results = at.log.session.context.flatMap((each) => (each.role === 'tool' ? [each.callId] : []))
  assert.deepEqual(results, ['call_0', 'call_0_2', 'call_0_3'])
  const events = at.events.flatMap((event) => (event.type === 'tool.called' ? [event.id] : []))
  assert.deepEqual(events, results)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { modelWithResponses, newAgent } from '#test/harness/interns/scripted-agent.ts'
import { type Model, ModelFault, type ModelRequest } from '../model/model.ts'

const settings = { model: 'm', instructions: () => 'Be kind.', maxSteps: 50 }

type Response = string | { name: string; input: object } | ModelFault

/** A model with one list of answers for the agent and one for its helper, which it recognizes by its system prompt. */
function twoModels(agent: Response[], helper: Response[]) {
  const requests: { agent: ModelRequest[]; helper: ModelRequest[] } = { agent: [], helper: [] }
  const model: Model = async function* (request) {
    const who = isHelper(request) ? 'helper' : 'agent'
    const response = { agent, helper }[who][requests[who].length] ?? 'out of answers'
    requests[who].push({ ...request, messages: structuredClone(request.messages) })
    if (response instanceof ModelFault) throw response
    const usage = { promptTokens: 10, completionTokens: 1, costUsd: 0.25 }
    if (typeof response === 'string') {
      yield { type: 'text.added', text: response }
      yield { type: 'message.completed', message: { role: 'assistant', text: response }, finish: 'stop', usage }
      return
    }
    const id = `${who}${requests[who].length}`
    const calls = [{ id, name: response.name, arguments: JSON.stringify(response.input) }]
    yield { type: 'message.completed', message: { role: 'assistant', text: '', calls }, finish: 'tool_calls', usage }
  }
  return { model, requests }
}

const isHelper = ({ messages }: ModelRequest) => /You are a helper of that agent/.test(messages[0]?.text ?? '')

const task = { name: 'delegate', input: { task: 'Find the greeting.' } }
const write = { name: 'write_file', input: { path: 'found.txt', content: 'hello' } }

test('a helper uses the tools in a separate context and returns only its report', async () => {
  const { model, requests } = twoModels([task, 'All done.'], [write, 'The greeting is in found.txt.'])
  await using at = await newAgent({ model, settings })
  await at.prompt('the whole story')
  const [first] = requests.helper
  assert.deepEqual(
    first?.messages.slice(1).map(({ text }) => text),
    ['Find the greeting.'],
  )
  assert.match(first?.messages[0]?.text ?? '', /Be kind\.\n\nYou are a helper/)
  const names = first?.tools.map(({ name }) => name) ?? []
  assert.ok(names.includes('shell') && !names.includes('ask_user') && !names.includes('delegate'))
  assert.equal(requests.agent[1]?.messages.at(-1)?.text, 'The greeting is in found.txt.')
  assert.equal(requests.agent[1]?.messages.length, 4)
  assert.equal(at.text(), 'All done.')
})

test('its calls are seen as calls of the session, and ask for the same permissions', async () => {
  const run = { name: 'shell', input: { command: 'echo hi' } }
  const { model } = twoModels([task, 'done'], [run, 'report'])
  await using at = await newAgent({ model, settings, permission: () => 'reject_once' })
  await at.prompt('go')
  assert.deepEqual(at.operations(), ['shell'])
  const calls = at.updates.flatMap((each) => (each.sessionUpdate === 'tool_call' ? [each.toolCallId] : []))
  assert.deepEqual(calls, ['agent1', 'agent1.helper1'])
  assert.equal(at.permissionRequests[0]?.toolCall.toolCallId, 'agent1.helper1')
  assert.match(at.results()[0] ?? '', /not run/)
})

test("a helper's usage counts toward the turn, its context not toward the session", async () => {
  const { model } = twoModels([task, 'done'], [write, 'report'])
  await using at = await newAgent({ model, settings })
  const { usage } = (await at.prompt('go')) as unknown as { usage: { inputTokens: number } }
  assert.equal(usage.inputTokens, 40)
  const costs = at.updates.flatMap((each) => (each.sessionUpdate === 'usage_update' ? [each.cost?.amount] : []))
  assert.deepEqual(costs, [0.25, 0.5, 0.75, 1])
})

test('helpers of one answer run at the same time, at most four of them', async () => {
  const calls = Array.from({ length: 6 }, (_, at) => ({ name: 'delegate', arguments: `{"task":"task ${at}"}` }))
  const { promise: full, resolve: fill } = Promise.withResolvers<void>()
  const { model: agent, requests } = modelWithResponses([calls, 'done'])
  let [running, peak] = [0, 0]
  const model: Model = async function* (request) {
    if (!isHelper(request)) return yield* agent(request)
    peak = Math.max(peak, ++running)
    if (running === 4) fill()
    await full
    await setImmediate()
    running--
    const text = `report of ${request.messages.at(-1)?.text}`
    yield { type: 'message.completed', message: { role: 'assistant', text }, finish: 'stop' }
  }
  await using at = await newAgent({ model, settings })
  await at.prompt('go')
  assert.equal(peak, 4)
  const results = requests[1]!.messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
  assert.deepEqual(
    results,
    calls.map((_, at) => `report of task ${at}`),
  )
})

test('the failure of a helper is reported to the agent, which continues', async () => {
  const { model, requests } = twoModels(
    [task, 'I do it myself.'],
    [new ModelFault('The model is gone.', { retryable: false })],
  )
  await using at = await newAgent({ model, settings })
  assert.equal((await at.prompt('go')).stopReason, 'end_turn')
  assert.equal(requests.agent[1]?.messages.at(-1)?.text, 'Error: The model is gone.')
})

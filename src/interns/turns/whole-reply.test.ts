import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TurnEvent } from '../contract/turn-event.ts'
import { collectReply } from './whole-reply.ts'

const toolCall = (toolCallId: string, status: 'pending' | 'completed', output: string | null = null): TurnEvent => {
  const lists = { paths: [], changes: [] }
  const call = { toolCallId, status, output, operation: 'shell', title: null, input: null, ...lists }
  return { type: 'activity.noticed', activity: { type: 'tool_call', ...call } }
}
const plan = (text: string): TurnEvent => {
  return { type: 'activity.noticed', activity: { type: 'plan', steps: [{ text, status: 'pending' }] } }
}

function collect(...events: TurnEvent[]) {
  const started = { type: 'turn.started', runId: 'r', sessionId: 's', model: null } as const
  const names = { inputTool: 'service.provide_input', fallbackModel: 'service/intern' }
  async function* stream(): AsyncGenerator<TurnEvent, undefined> {
    yield* [...events, { type: 'turn.finished', model: null, usage: null } as const]
    return undefined
  }
  return collectReply({ startedEvent: started, events: stream() }, names, { now: () => 0, idleTimeoutMs: 1000 })
}

test('a whole reply has the latest state of each tool call and the latest plan', async () => {
  const { activity } = await collect(
    plan('one'),
    toolCall('a', 'pending'),
    toolCall('b', 'pending'),
    plan('two'),
    toolCall('a', 'completed'),
  )
  const displayed = activity?.map((item) =>
    item.type === 'plan' ? item.steps[0]!.text : item.tool_call_id + item.status,
  )
  assert.deepEqual(displayed, ['bpending', 'two', 'acompleted'])
})

test('a whole reply with too many activities is refused, like one with too much text', async () => {
  const output = 'x'.repeat(32_000)
  const calls = (count: number) => Array.from({ length: count }, (_, at) => toolCall(String(at), 'completed', output))
  await assert.rejects(collect(...calls(600)), /too long for one response/)
  const repeated = Array.from({ length: 600 }, () => toolCall('same', 'completed', output))
  assert.equal((await collect(...repeated)).activity?.length, 1)
})

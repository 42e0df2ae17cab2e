import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as laterTurn } from 'node:timers/promises'
import { endpointFor } from '#test/harness/encode.ts'
import type { Sink } from './attempt/upstream/upstream.ts'
import { chatClient } from './clients/chat/client.ts'
import { complete } from './complete.ts'
import type { CompletionCall } from './completion-call.ts'
import type { RoutingDeps } from './deps.ts'
import { clockName } from './request/plugins/clock-round.ts'

const said = (message: object) =>
  Buffer.from(JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
const words = said({ content: 'Hello' })
const clockCall = { index: 0, id: 'call_1', type: 'function', function: { name: clockName, arguments: '{}' } }
const clock = said({ content: null, tool_calls: [clockCall] })

const model = { id: 'a/m', endpoints: [endpointFor('m')], outputModalities: ['text'], inputModalities: ['text'] }

/** An upstream that answers so, one after the other, and a policy that keeps track of money. @returns what happened. */
function answering(answers: Buffer[], breaks: { settle?: () => void } = {}) {
  const events: string[] = []
  const told = (event: string) => () => void events.push(event)
  const policy = {
    decide: async (question: { candidates: object[]; chat: object; body: object }) => ({
      ...{ ...question, limits: [], leftOut: [], findings: [] },
      ...{ priceable: (targets: object[]) => targets, reserve: async () => void events.push('reserved') },
      settle: breaks.settle ?? told('settled'),
    }),
    judgeAgain: () => undefined,
  }
  const pass = { answered() {}, failed() {}, ended() {} }
  const left = new AbortController().signal
  const response = { header() {}, signal: left, onRevoked() {} }
  const deps = {
    ...{ canMeter: () => true, meteringDelayMs: () => 0, measure() {}, policy },
    ...{ regionOf: () => 'global', now: () => 0, newId: () => 'id' },
    ...{ onUnaccounted: ({ message }: Error) => events.push(message), meter: told('metered') },
    catalogue: { current: () => ({ findModel: () => model, findProvider: () => ({ protocol: 'openai-chat' }) }) },
    credentials: { of: () => ({ find: () => ({ baseUrl: 'http://upstream.example/v1', byok: false }) }) },
    circuits: { health: () => 'fit', admit: () => pass },
    inFlight: { track: () => ({ release() {}, response }) },
    upstreams: {
      send(_request: object, _deadlines: object, sink: Sink) {
        setImmediate(() => {
          sink.head(200, {})
          sink.data(answers.shift()!)
          sink.end()
        })
        return {}
      },
    },
  } as unknown as RoutingDeps
  return { deps, response, events }
}

const ask = (deps: RoutingDeps, response: object, more: object = {}) => {
  const body = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }], ...more }
  const caller = { workspaceId: 'w' }
  return complete(deps, { body, client: chatClient, caller, response, headers: {} } as unknown as CompletionCall)
}

test('a whole answer is given first, and metered and settled then', async () => {
  const { deps, response, events } = answering([words])
  const answer = await ask(deps, response)
  events.push('answered')
  await laterTurn()
  assert.match(String(answer), /Hello/)
  assert.deepEqual(events, ['reserved', 'answered', 'metered', 'settled'])
})

test('what a round of the clock has set aside is settled before the next one asks for more', async () => {
  const { deps, response, events } = answering([clock, words])
  await ask(deps, response, { tools: [{ type: 'openrouter:datetime' }] })
  assert.deepEqual(events, ['reserved', 'metered', 'settled', 'reserved', 'metered', 'settled'])
})

test('a settlement that fails is told of, and harms neither the answer nor the process', async () => {
  const settle = () => assert.fail('a defect')
  const { deps, response, events } = answering([words], { settle })
  assert.ok(await ask(deps, response))
  await laterTurn()
  assert.deepEqual(events, ['reserved', 'metered', 'a defect'])
})

test('a request for which nothing has to be waited for is sent at once', async () => {
  const { deps, response, events } = answering([words])
  const decide = (question: object) => ({
    ...{ ...question, limits: [], leftOut: [], findings: [], settle() {} },
    ...{ priceable: (targets: object[]) => targets, reserve: () => undefined },
  })
  const send: RoutingDeps['upstreams']['send'] = (...sent) => {
    events.push('sent')
    return deps.upstreams.send(...sent)
  }
  const answer = ask(
    { ...deps, policy: { ...deps.policy, decide }, upstreams: { send } } as unknown as RoutingDeps,
    response,
  )
  assert.deepEqual(events, ['sent'])
  assert.match(String(await answer), /Hello/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as laterTurn } from 'node:timers/promises'
import type { Caller } from '#identity/accounts/caller.ts'
import type { Pause } from '#platform/async/long-work.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import type { Sink } from './attempt/upstream/upstream.ts'
import { chatClientProtocol } from './clients/chat/chat-client-protocol.ts'
import { complete } from './complete.ts'
import type { CompletionCall } from './completion-call.ts'
import type { GatewayDeps } from './deps.ts'
import { clockName } from './request/plugins/clock-round.ts'

const answerOf = (message: object) =>
  Buffer.from(JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
const words = answerOf({ content: 'Hello' })
const clockCall = { index: 0, id: 'call_1', type: 'function', function: { name: clockName, arguments: '{}' } }
const clock = answerOf({ content: null, tool_calls: [clockCall] })

const model = { id: 'a/m', endpoints: [endpointFor('m')], outputModalities: ['text'], inputModalities: ['text'] }

type DecisionInput = { candidates: object[]; chat: object; body: object }

/** An upstream that returns these responses in order, and a policy that records reservations. */
function answering(responses: Buffer[], settle?: () => void) {
  const events: string[] = []
  const note = (event: string) => () => void events.push(event)
  const decide = async (question: DecisionInput) => ({
    ...question,
    removedFields: [],
    findings: [],
    spending: {
      budgets: [],
      excludeUnpriced: (targets: object[]) => targets,
      createReservation: () => {
        events.push('reserved')
        const addLaterLimits = (limits: { id: string }[]) => events.push(`counts ${limits[0]?.id}`)
        return { request: question, addLaterLimits, settle: settle ?? note('settled') }
      },
    },
  })
  const policy = { decide, isCurrent: () => true }
  const permit = { reportFirstByte() {}, reportFailure() {}, end() {} }
  const clientSignal = new AbortController().signal
  const response = { header() {}, signal: clientSignal, onRevoked() {} }
  const deps = {
    canMeter: () => true,
    meteringDelayMs: () => 0,
    measure() {},
    policy,
    speeds: () => ({ fastest: null }),
    regionOf: () => 'global',
    now: () => 0,
    elapsed: () => 0,
    newId: () => 'id',
    onUnaccounted: ({ message }: Error) => events.push(message),
    meter: note('metered'),
    catalogue: { current: () => ({ findModel: () => model, findProvider: () => ({ protocol: 'openai-chat' }) }) },
    credentials: { getCached: () => ({ find: () => ({ baseUrl: 'http://upstream.example/v1', byok: false }) }) },
    circuits: { health: () => 'healthy', admit: () => permit },
    inFlight: { track: () => ({ release() {}, recheckWith() {}, response }) },
    upstreams: {
      send(_request: object, _timeouts: object, sink: Sink) {
        setImmediate(() => {
          sink.head(200, {})
          sink.data(responses.shift()!)
          sink.end()
        })
        return {}
      },
    },
  } as unknown as GatewayDeps
  return { deps, response, events }
}

const completeChat = (deps: GatewayDeps, response: object, more: object = {}, pause?: Pause) => {
  const body = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }], ...more }
  const caller = { workspaceId: 'w' }
  const call = { body, client: chatClientProtocol, caller, response, headers: {}, pause }
  return complete(deps, call as unknown as CompletionCall)
}

test('a whole response is returned before it is metered and settled', async () => {
  const { deps, response, events } = answering([words])
  const answer = await completeChat(deps, response)
  events.push('answered')
  await laterTurn()
  assert.match(String(answer), /Hello/)
  assert.deepEqual(events, ['reserved', 'answered', 'metered', 'settled'])
})

test('a round with a clock call is settled before the next one reserves', async () => {
  const { deps, response, events } = answering([clock, words])
  await completeChat(deps, response, { tools: [{ type: 'openrouter:datetime' }] })
  assert.deepEqual(events, ['reserved', 'metered', 'settled', 'reserved', 'metered', 'settled'])
})

test('a limit that is set while the request runs counts it', async () => {
  const { deps, response, events } = answering([words])
  const { policy, inFlight, upstreams } = deps
  let recheck: (caller: Caller) => Promise<void>
  const tracked = {
    ...inFlight.track({} as never, {} as never),
    recheckWith: (given: typeof recheck) => (recheck = given),
  }
  const send: typeof upstreams.send = (...sent) => {
    void recheck({} as Caller).then(() => upstreams.send(...sent))
    return {} as never
  }
  const limits = [{ id: 'new' }]
  const watched = {
    ...deps,
    policy: { ...policy, recheckInFlight: async () => limits },
    inFlight: { track: () => tracked },
    upstreams: { send },
  } as unknown as GatewayDeps
  await completeChat(watched, response)
  await laterTurn()
  assert.deepEqual(events, ['reserved', 'counts new', 'metered', 'settled'])
})

test('a failed settlement is reported, and the response is returned', async () => {
  const { deps, response, events } = answering([words], () => assert.fail('a defect'))
  assert.ok(await completeChat(deps, response))
  await laterTurn()
  assert.deepEqual(events, ['reserved', 'metered', 'a defect'])
})

test('the work on a long request is paused before each stage', async () => {
  const { deps, response, events } = answering([words])
  const noting = (name: string, act: (...parameters: never[]) => unknown) => {
    return (...parameters: never[]) => {
      events.push(name)
      return act(...parameters)
    }
  }
  const { policy, upstreams } = deps
  const watched = {
    ...deps,
    policy: { ...policy, decide: noting('decide', policy.decide) },
    upstreams: { send: noting('send', upstreams.send) },
  } as unknown as GatewayDeps
  await completeChat(watched, response, {}, async () => void events.push('pause'))
  const stages = events.join(' ').split(/ (?=decide|reserved|send)/)
  assert.deepEqual(stages.slice(0, 3), ['pause pause pause', 'decide', 'reserved pause pause pause pause'])
})

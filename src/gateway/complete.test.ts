import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#platform/core/fault.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { complete } from './complete.ts'
import type { CompletionCall } from './completion-call.ts'
import type { GatewayDeps } from './deps.ts'

const model = { id: 'a/m', endpoints: [endpointFor('m')], outputModalities: ['text'], inputModalities: ['text'] }
const chat = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }] }
const response = { header: () => {}, signal: new AbortController().signal }
const client = { toChat: () => chat, protocol: 'anthropic-messages' }
const call = { body: chat, client, response, caller: { workspaceId: 'w' } } as unknown as CompletionCall

/** Completes a request that fails after its reservation. @returns how the reservation was settled. */
async function failing(broken: Partial<GatewayDeps>, body: object = chat) {
  const settled: (Pick<Generation, 'cost'> | undefined)[] = []
  const errors: string[] = []
  const reservation = { request: { chat: body, body }, settle: (one?: Generation) => void settled.push(one) }
  const spending = {
    budgets: [],
    excludeUnpriced: (targets: object[]) => targets,
    createReservation: () => reservation,
  }
  const admit = () => {
    throw new Fault('forbidden', 'no permit')
  }
  const deps = {
    canMeter: () => true,
    meteringDelayMs: () => 0,
    catalogue: { current: () => ({ findModel: () => model, findProvider: () => ({ protocol: 'openai-chat' }) }) },
    policy: {
      decide: async ({ candidates }: object & { candidates: object[] }) => ({
        candidates,
        chat: body,
        body,
        removedFields: [],
        spending,
      }),
    },
    credentials: { getCached: () => ({ find: () => ({ baseUrl: 'http://upstream.example/v1', byok: false }) }) },
    circuits: { health: () => 'healthy', admit },
    inFlight: { track: () => ({ release: () => {}, recheckWith: () => {}, response }) },
    regionOf: () => 'global',
    onUnaccounted: ({ message }: Error) => errors.push(message),
    meter: () => {},
    now: () => 0,
    elapsed: () => 0,
    newId: () => 'id',
    ...broken,
  } as unknown as GatewayDeps
  const taken = { ...call, body, client: { ...client, toChat: () => body } } as unknown as CompletionCall
  await assert.rejects(async () => complete(deps, taken), { message: 'no permit' })
  return { settled, errors }
}

const fails = (when: () => boolean, otherwise: () => number) => () => {
  if (when()) throw new Error('broken')
  return otherwise()
}

test('a reservation is settled with the known cost although metering fails', async () => {
  const { settled, errors } = await failing({ meter: fails(() => true, Number) })
  assert.deepEqual([settled.map((one) => one?.cost), errors], [[0n], ['broken']])
})

test('a reservation is settled without a cost if the record cannot be closed', async () => {
  let calls = 0
  const { settled, errors } = await failing({ elapsed: fails(() => calls++ > 0, Number) })
  assert.deepEqual([settled, errors], [[undefined], ['broken']])
})

test('a request with only a list of models is metered with the first one', async () => {
  const metered: Generation[] = []
  const { messages } = chat
  await failing({ meter: (one) => void metered.push(one) }, { models: ['a/m', 'a/n'], messages })
  assert.equal(metered[0]?.requestedModel, 'a/m')
})

test('a request that is refused early has a record with caller, model and cause', async () => {
  const records: Generation[] = []
  const headers: Record<string, string> = {}
  const busy = {
    canMeter: () => false,
    onRefused: (one: Generation) => void records.push(one),
    newId: () => 'id',
    now: () => 7,
    regionOf: () => 'eu',
  } as unknown as GatewayDeps
  const response = { header: (name: string, value: string) => void Object.assign(headers, { [name]: value }) }
  const from = { ...call, response, requestId: 'req-1', caller: { keyHash: 'k' } } as unknown as CompletionCall
  await assert.rejects(
    async () => complete(busy, from),
    (refused: Fault) => {
      assert.match(refused.message, /cannot be metered now.*signalbox_ledger_waiting/)
      return refused.details.retryAfterSeconds === 2
    },
  )
  const { id, requestId, caller, protocol, requestedModel, outcome, cost, cause, region } = records[0]!
  assert.deepEqual(
    { id, requestId, caller, protocol, requestedModel, outcome, cost, region },
    {
      id: 'gen-id',
      requestId: 'req-1',
      caller: { keyHash: 'k' },
      protocol: 'anthropic-messages',
      requestedModel: 'a/m',
      outcome: 'refused',
      cost: 0n,
      region: 'eu',
    },
  )
  assert.match(JSON.stringify(cause), /metered/)
  assert.equal(headers['x-generation-id'], 'gen-id')
})

test('a request waits for a slow ledger, and is refused if it is full after that', async () => {
  const startedAt = performance.now()
  await failing({ meteringDelayMs: () => 50 })
  assert.ok(performance.now() - startedAt > 40)
  const rooms = [true, false]
  const full = { canMeter: () => rooms.shift()!, meteringDelayMs: () => 1, regionOf: () => 'global' }
  const deps = {
    ...full,
    now: () => 0,
    elapsed: () => 0,
    newId: () => 'id',
    onRefused: () => {},
  } as unknown as GatewayDeps
  await assert.rejects(async () => complete(deps, call), { kind: 'unavailable' })
  assert.deepEqual(rooms, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model } from '#catalogue/index/model.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import { complete } from './complete.ts'
import type { CompletionCall } from './completion-call.ts'
import type { RoutingDeps } from './deps.ts'

const model = { id: 'a/m', endpoints: [] as Model['endpoints'], outputModalities: ['text'] } as Model
const chat = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }] }
const response = { header: () => {}, signal: new AbortController().signal }
const client = { toChat: () => chat, protocol: 'anthropic-messages' }
const call = { body: chat, client, response } as unknown as CompletionCall

/** Asks what is refused by the credentials, and fails while its account is closed. @returns how it was settled. */
async function failing(broken: Partial<RoutingDeps>, asked: object = chat) {
  const settled: (Pick<Generation, 'cost'> | undefined)[] = []
  const errors: string[] = []
  const deps = {
    canMeter: () => true,
    meteringDelayMs: () => 0,
    catalogue: { current: () => ({ findModel: () => model }) },
    policy: {
      decide: async () => ({
        chat: asked,
        body: asked,
        leftOut: [],
        settle: (one?: Generation) => void settled.push(one),
      }),
    },
    credentials: { of: () => Promise.reject(new Fault('forbidden', 'no credential')) },
    inFlight: { track: () => ({ release: () => {}, response }) },
    regionOf: () => 'global',
    onUnaccounted: ({ message }: Error) => errors.push(message),
    meter: () => {},
    now: () => 0,
    newId: () => 'id',
    ...broken,
  } as unknown as RoutingDeps
  const taken = { ...call, body: asked, client: { ...client, toChat: () => asked } } as unknown as CompletionCall
  await assert.rejects(async () => complete(deps, taken), { message: 'no credential' })
  return { settled, errors }
}

const fails = (when: () => boolean, otherwise: () => number) => () => {
  if (when()) throw new Error('broken')
  return otherwise()
}

test('what was set aside is settled though metering fails, by what is known to have been spent', async () => {
  const { settled, errors } = await failing({ meter: fails(() => true, Number) })
  assert.deepEqual([settled.map((one) => one?.cost), errors], [[0n], ['broken']])
})

test('what was set aside counts as spent when nobody can tell what was', async () => {
  let asked = 0
  const { settled, errors } = await failing({ now: fails(() => asked++ > 0, Number) })
  assert.deepEqual([settled, errors], [[undefined], ['broken']])
})

test('a request that names only a list of models is metered under the first of them', async () => {
  const metered: Generation[] = []
  const { messages } = chat
  await failing({ meter: (one) => void metered.push(one) }, { models: ['a/m', 'a/n'], messages })
  assert.equal(metered[0]?.requestedModel, 'a/m')
})

test('what is refused before anything is known of it has a record: who asked, for what, in which protocol, and why not', async () => {
  const told: Generation[] = []
  const headers: Record<string, string> = {}
  const busy = {
    canMeter: () => false,
    onRefused: (one: Generation) => void told.push(one),
    newId: () => 'id',
    now: () => 7,
    regionOf: () => 'eu',
  } as unknown as RoutingDeps
  const response = { header: (name: string, value: string) => void Object.assign(headers, { [name]: value }) }
  const from = { ...call, response, requestId: 'req-1', caller: { keyHash: 'k' } } as unknown as CompletionCall
  await assert.rejects(
    async () => complete(busy, from),
    (refused: Fault) => {
      assert.match(refused.message, /cannot be metered now.*signalbox_ledger_waiting/)
      return refused.details.retryAfterSeconds === 2
    },
  )
  const { id, requestId, caller, protocol, requestedModel, outcome, cost, cause, region } = told[0]!
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

test('a request waits while more are made than are written, and is refused if there is no room after that', async () => {
  const waited = performance.now()
  await failing({ meteringDelayMs: () => 50 })
  assert.ok(performance.now() - waited > 40)
  const rooms = [true, false]
  const full = { canMeter: () => rooms.shift()!, meteringDelayMs: () => 1, regionOf: () => 'global' }
  const deps = { ...full, now: () => 0, newId: () => 'id', onRefused: () => {} } as unknown as RoutingDeps
  await assert.rejects(async () => complete(deps, call), { kind: 'unavailable' })
  assert.deepEqual(rooms, [])
})

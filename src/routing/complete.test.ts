import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model } from '#catalogue/model.ts'
import { Fault } from '#lib/fault.ts'
import type { Generation } from '#usage/generation.ts'
import type { CompletionCall } from './call.ts'
import { complete } from './complete.ts'
import type { RoutingDeps } from './deps.ts'

const model = { id: 'a/m', endpoints: [] as Model['endpoints'], outputModalities: ['text'] } as Model
const chat = { model: 'a/m', messages: [{ role: 'user', content: 'Hi' }] }
const outlet = { header: () => {}, signal: new AbortController().signal }
const call = { body: chat, client: { toChat: () => chat }, outlet } as unknown as CompletionCall

/** Asks what is refused by the credentials, and fails while its account is closed. @returns how it was settled. */
async function failing(broken: Partial<RoutingDeps>) {
  const settled: (Pick<Generation, 'cost'> | undefined)[] = []
  const errors: string[] = []
  const deps = {
    canMeter: () => true,
    catalogue: { current: () => ({ findModel: () => model }) },
    policy: {
      decide: async () => ({ chat, body: chat, leftOut: [], settle: (one?: Generation) => void settled.push(one) }),
    },
    credentials: { of: () => Promise.reject(new Fault('forbidden', 'no credential')) },
    inFlight: { follow: () => ({ release: () => {}, outlet }) },
    regionOf: () => 'global',
    onUnaccounted: ({ message }: Error) => errors.push(message),
    meter: () => {},
    now: () => 0,
    newId: () => 'id',
    ...broken,
  } as unknown as RoutingDeps
  await assert.rejects(complete(deps, call), { message: 'no credential' })
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

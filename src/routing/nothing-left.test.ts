import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from './nothing-left.ts'
import type { Excluded } from './plan.ts'

const deps = {
  circuits: { whyShut: () => undefined },
  catalogue: { current: () => ({ findProvider: () => undefined }) },
  now: () => 0,
} as unknown as Parameters<typeof refusal>[0]
const answering = { circuitOf: () => 'e', journal: {}, chat: {} } as unknown as Parameters<typeof refusal>[1]
const left = (id: string, reason: Excluded['reason']) => ({ target: { endpoint: { id } }, reason }) as Excluded

test('a model without any endpoint is told apart from one whose endpoints cannot serve the request', () => {
  const none = refusal(deps, answering, [])
  assert.deepEqual([none.kind, none.message], ['not_found', 'This model has no endpoint.'])
  const unfit = refusal(deps, answering, [left('p/m', 'context_too_small'), left('q/m', 'too_expensive')])
  assert.deepEqual(
    [unfit.kind, unfit.message],
    [
      'not_found',
      'No endpoint can serve this request: of each, the prompt is longer than its context, or it costs more than provider.max_price.',
    ],
  )
})

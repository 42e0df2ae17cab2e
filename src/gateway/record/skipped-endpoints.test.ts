import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candidate, Target } from '../plan/plan.ts'
import { type Planned, skippedEndpoints } from './skipped-endpoints.ts'

const model = { id: 'a/m' }
const target = (tag: string) => ({ model, endpoint: { id: `a/m@${tag}` } }) as unknown as Target
const [one, two, three, four] = ['one', 'two', 'three', 'four'].map(target) as [Target, Target, Target, Target]
const asked = ({ endpoint }: Target) =>
  ({ endpointId: endpoint.id, provider: 'p', outcome: 'answered', durationMs: 1 }) as const
const all = [{ model, endpoints: [one, two, three, four].map(({ endpoint }) => endpoint) }] as unknown as Candidate[]
const planned = (more: Partial<Planned>): Planned => ({
  candidates: all,
  permitted: all,
  plan: { targets: [one], excluded: [] },
  targets: [one],
  ...more,
})

test('of a model whose only endpoint was asked there is nothing to tell', () => {
  assert.equal(skippedEndpoints(planned({}), [asked(one)]), undefined)
})

test('those lowerRanks the one that answered are told with why they stood there, those left out with why', () => {
  const lowerRanks = new Map([['a/m@three', 'troubled' as const]])
  const plan = { targets: [one, two, three], excluded: [{ target: four, reason: 'unconfigured' as const }], lowerRanks }
  assert.deepEqual(skippedEndpoints(planned({ plan, targets: plan.targets }), [asked(one)]), {
    not_reached: ['a/m@two'],
    troubled: ['a/m@three'],
    unconfigured: ['a/m@four'],
  })
})

test('what guardrails forbid, and what cannot be priced under a limit, is told too', () => {
  const permitted = [{ ...all[0]!, endpoints: all[0]!.endpoints.slice(0, 2) }]
  const plan = { targets: [one, two], excluded: [] }
  assert.deepEqual(skippedEndpoints(planned({ permitted, plan, targets: [one] }), [asked(one)]), {
    not_priceable: ['a/m@two'],
    guardrail: ['a/m@three', 'a/m@four'],
  })
})

test('one that a guardrail has come to forbid when its turn comes is told so, also where it is the only one', () => {
  const plan = { targets: [one, two, three], excluded: [], lowerRanks: new Map([['a/m@two', 'troubled' as const]]) }
  const forbidden = new Set(['a/m@two'])
  assert.deepEqual(skippedEndpoints(planned({ plan, targets: plan.targets }), [asked(one)], forbidden), {
    guardrail: ['a/m@two'],
    not_reached: ['a/m@three'],
  })
  assert.deepEqual(skippedEndpoints(planned({}), [], new Set(['a/m@one'])), { guardrail: ['a/m@one'] })
})

test('no more than thirty are told', () => {
  const many = Array.from({ length: 40 }, (_, n) => target(`e${n}`))
  const plan = { targets: many, excluded: [] }
  assert.equal(skippedEndpoints(planned({ plan, targets: many }), [asked(many[0]!)])?.not_reached?.length, 30)
})

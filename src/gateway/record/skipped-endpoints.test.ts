import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candidate, Target } from '../plan/plan.ts'
import { listSkippedEndpoints, type PlanningResult } from './skipped-endpoints.ts'

const model = { id: 'a/m' }
const target = (tag: string) => ({ model, endpoint: { id: `a/m@${tag}` } }) as unknown as Target
const [one, two, three, four] = ['one', 'two', 'three', 'four'].map(target) as [Target, Target, Target, Target]
const attemptAt = ({ endpoint }: Target) =>
  ({ endpointId: endpoint.id, provider: 'p', outcome: 'answered', durationMs: 1 }) as const
const all = [{ model, endpoints: [one, two, three, four].map(({ endpoint }) => endpoint) }] as unknown as Candidate[]
const planned = (more: Partial<PlanningResult>): PlanningResult => ({
  candidates: all,
  permitted: all,
  plan: { targets: [one], excludedTargets: [] },
  targets: [one],
  ...more,
})

test('without other endpoints the list is undefined', () => {
  assert.equal(listSkippedEndpoints(planned({}), [attemptAt(one)]), undefined)
})

test('endpoints that were not reached or excluded are listed by reason', () => {
  const lowerRankReasons = new Map([['a/m@three', 'troubled' as const]])
  const plan = {
    targets: [one, two, three],
    excludedTargets: [{ target: four, reason: 'unconfigured' as const }],
    lowerRankReasons,
  }
  assert.deepEqual(listSkippedEndpoints(planned({ plan, targets: plan.targets }), [attemptAt(one)]), {
    not_reached: ['a/m@two'],
    troubled: ['a/m@three'],
    unconfigured: ['a/m@four'],
  })
})

test('endpoints forbidden by guardrails or without a price under a limit are listed', () => {
  const permitted = [{ ...all[0]!, endpoints: all[0]!.endpoints.slice(0, 2) }]
  const plan = { targets: [one, two], excludedTargets: [] }
  assert.deepEqual(listSkippedEndpoints(planned({ permitted, plan, targets: [one] }), [attemptAt(one)]), {
    not_priceable: ['a/m@two'],
    guardrail: ['a/m@three', 'a/m@four'],
  })
})

test('an endpoint that a changed guardrail forbids is listed, even as the only one', () => {
  const plan = {
    targets: [one, two, three],
    excludedTargets: [],
    lowerRankReasons: new Map([['a/m@two', 'troubled' as const]]),
  }
  const forbidden = new Set(['a/m@two'])
  assert.deepEqual(listSkippedEndpoints(planned({ plan, targets: plan.targets }), [attemptAt(one)], forbidden), {
    guardrail: ['a/m@two'],
    not_reached: ['a/m@three'],
  })
  assert.deepEqual(listSkippedEndpoints(planned({}), [], new Set(['a/m@one'])), { guardrail: ['a/m@one'] })
})

test('at most thirty endpoints are listed', () => {
  const many = Array.from({ length: 40 }, (_, n) => target(`e${n}`))
  const plan = { targets: many, excludedTargets: [] }
  assert.equal(listSkippedEndpoints(planned({ plan, targets: many }), [attemptAt(many[0]!)])?.not_reached?.length, 30)
})

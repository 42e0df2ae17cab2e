import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { permittedCandidates, requireRegion } from '#gateway/admission/guardrail-policy.ts'
import type { Fault } from '#platform/core/fault.ts'
import { guardrailWith, models, policy, region, vendors } from '#test/harness/records/random-guardrails.ts'
import { createPastEvaluator } from './past-verdict.ts'

test('a replay refuses by the same rules as a request, and reroutes alike', () => {
  const named = fc.array(fc.nat(9), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(policy, models, region, named, fc.nat(), (some, catalogue, through, places, chance) => {
      const guardrail = guardrailWith('g', some)
      const requests = [...new Set(places)].map((at) => catalogue[at]!)
      const offers = requests.flatMap(({ endpoints }) => endpoints)
      const respondingOffer = offers[chance % offers.length]!
      const findModel = (name: string) => catalogue.find(({ id }) => id === name)
      const facts = { models: requests.map(({ id }) => id), endpointId: respondingOffer.id, region: through }
      const verdict = createPastEvaluator({ guardrail, findModel, vendors })(facts)
      try {
        requireRegion([guardrail], through)
        const permitted = permittedCandidates(
          [guardrail],
          requests.map((model) => ({ model, endpoints: model.endpoints })),
          vendors,
        )
        const isLeft = permitted.some(({ endpoints }) => endpoints.includes(respondingOffer))
        assert.equal(verdict.outcome, isLeft ? 'allowed' : 'rerouted')
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        assert.deepEqual(verdict, { outcome: 'refused', rule: (error as Fault).details.metadata?.rule })
      }
    }),
    { numRuns: 2000 },
  )
})

test('a model that left the catalogue has no result, unless another could answer', () => {
  fc.assert(
    fc.property(models, (catalogue) => {
      const findModel = (name: string) => catalogue.find(({ id }) => id === name)
      const judge = createPastEvaluator({
        guardrail: guardrailWith('g', { ignored_models: ['google/a-2026'] }),
        findModel,
        vendors,
      })
      const outcome = (names: string[]) => judge({ models: names, endpointId: null, region: 'us' }).outcome
      assert.equal(outcome(['gone/model']), 'unknown')
      assert.equal(outcome(['gone/model', 'google/a']), 'unknown')
      assert.equal(outcome(['gone/model', 'google/b']), 'allowed')
      assert.equal(outcome(['google/a']), 'refused')
    }),
    { numRuns: 20 },
  )
})

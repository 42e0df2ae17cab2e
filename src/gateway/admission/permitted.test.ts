import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { Fault } from '#platform/core/fault.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import { createModelFilter } from '#policy/guardrails/decide/allowed-models.ts'
import type { Policy } from '#policy/guardrails/decide/policy.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import { guardrails, models, region, vendors } from '#test/harness/records/random-guardrails.ts'
import { permittedCandidates, requireRegion } from './guardrail-policy.ts'

/** A simple reference implementation: each question is checked against all guardrails at once. */
function naive(all: GuardrailRecord[]) {
  const policies = all.map((guardrail) => guardrail.policy)
  const inEvery = (lists: (readonly string[] | null)[], name: string) =>
    lists.filter((list) => list !== null).every((list) => list.includes(name))
  const inAny = (lists: (readonly string[] | null)[], name: string) => lists.some((list) => list?.includes(name))
  const of = <Field extends keyof Policy>(field: Field) => policies.map((policy) => policy[field])
  const zdrFields = {
    anthropic: 'enforce_zdr_vendor_a',
    google: 'enforce_zdr_vendor_b',
    openai: 'enforce_zdr_vendor_c',
    'x-ai': 'enforce_zdr_vendor_d',
    other: 'enforce_zdr_other',
  } as const
  const needsZdr = ({ author }: Model) =>
    policies.some((policy) => policy[zdrFields[author as keyof typeof zdrFields]] ?? policy.enforce_zdr)
  const bans = (field: keyof Policy) => of(field).includes(false)

  return {
    region: (name: Region) => inEvery(of('allowed_data_regions'), name),
    model: ({ canonicalSlug: name }: Model) =>
      inEvery(of('allowed_models'), name) && !inAny(of('ignored_models'), name),
    endpoint(model: Model, { provider, prices, ...policy }: Endpoint) {
      const isFree = prices.prompt === '0'
      if (!inEvery(of('allowed_providers'), provider) || inAny(of('ignored_providers'), provider)) return false
      if (needsZdr(model) && !policy.zeroDataRetention) return false
      if (isFree && policy.publishesPrompts && bans('enable_free_model_publication')) return false
      if (!policy.trainsOnData) return true
      return !bans(isFree ? 'enable_free_model_training' : 'enable_paid_model_training')
    },
  }
}

function refusalOf(act: () => unknown): Fault | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return error as Fault
  }
}
const candidatesOf = (some: Model[]) => some.map((model) => ({ model, endpoints: model.endpoints }))
const request = fc.record({ guardrails, models, region, named: fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }) })

test('permitted endpoints equal those of the reference implementation', () => {
  fc.assert(
    fc.property(request, ({ guardrails: all, models: catalogue, region: through, named }) => {
      const rules = naive(all)
      const requested = named.map((at) => catalogue[at]!)
      assert.equal(refusalOf(() => requireRegion(all, through)) === undefined, rules.region(through))
      const expected = requested
        .filter(rules.model)
        .flatMap((model) => model.endpoints.filter((e) => rules.endpoint(model, e)))
      const refused = refusalOf(() =>
        assert.deepEqual(
          permittedCandidates(all, candidatesOf(requested), vendors).flatMap(({ endpoints }) => endpoints),
          expected,
        ),
      )
      if (expected.length > 0) assert.equal(refused, undefined)
      else assert.equal(refused?.kind, 'forbidden')
    }),
    { numRuns: 1000 },
  )
})

test('a refusal names an active guardrail that forbids the request alone', () => {
  fc.assert(
    fc.property(request, ({ guardrails: all, models: catalogue, named }) => {
      const requested = candidatesOf(named.map((at) => catalogue[at]!))
      const refused = refusalOf(() => permittedCandidates(all, requested, vendors))
      if (!refused) return
      const culprit = all.find(({ id }) => id === refused.details.metadata?.guardrail_id)!
      const rule = refused.details.metadata?.rule as keyof Policy
      assert.ok(culprit.policy[rule] !== null || (rule.startsWith('enforce_zdr_') && culprit.policy.enforce_zdr))
      assert.equal(naive([culprit]).model(requested[0]!.model) && rule.endsWith('_models'), false)
    }),
    { numRuns: 1000 },
  )
})

test('a model is listed for a key exactly if a completion is not refused', () => {
  fc.assert(
    fc.property(guardrails, models, region, (all, catalogue, through) => {
      const isListed = createModelFilter(all, through, vendors)
      for (const model of catalogue) {
        const refused = refusalOf(() => {
          requireRegion(all, through)
          permittedCandidates(all, candidatesOf([model]), vendors)
        })
        assert.equal(isListed(model), refused === undefined, model.id)
      }
    }),
    { numRuns: 1000 },
  )
})

import fc from 'fast-check'
import type { Endpoint, Model } from '#catalogue/index/model.ts'
import { Settings } from '#platform/config/settings.ts'
import { regions } from '#platform/core/vocabulary.ts'
import type { RuleName } from '#policy/guardrails/decide/find-violation.ts'
import { emptyPolicy, Policy } from '#policy/guardrails/decide/policy.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'

/** Random guardrails and catalogues with few names, so that a guardrail often forbids everything. */

export const vendors = Settings.parse({}).zdr_vendors

const authors = ['anthropic', 'google', 'openai', 'x-ai', 'other']
const providers = ['p', 'q', 'r']
const modelNames = authors.flatMap((author) => [`${author}/a`, `${author}/b`])
const dated = (id: string) => `${id}-2026`

const valueOrNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 })
const listOf = <T>(values: readonly T[]) => valueOrNull(fc.subarray([...values], { minLength: 1 }))

export const region = fc.constantFrom(...regions)

type AnyRule = RuleName | 'enforce_zdr'
type FlagRule = { [Name in AnyRule]: true extends Policy[Name] ? Name : never }[AnyRule]

/** Possible values of the rules that depend on the catalogue and are lists. The type reports a missing one. */
const lists: Record<Exclude<AnyRule, FlagRule>, fc.Arbitrary<unknown>> = {
  allowed_data_regions: listOf(regions),
  allowed_models: listOf(modelNames.map(dated)),
  ignored_models: listOf(modelNames.map(dated)),
  allowed_providers: listOf(providers),
  ignored_providers: listOf(providers),
}

/** Random values of all rules that are true, false or null. */
const flags = Object.fromEntries(
  Object.entries(Policy.shape)
    .filter(([, schema]) => [true, null].every((value) => schema.safeParse(value).success))
    .map(([name]) => [name, valueOrNull(fc.boolean())]),
)

export const policy: fc.Arbitrary<Partial<Policy>> = fc.record({ ...lists, ...flags }, { requiredKeys: [] }) as never

export function guardrailWith(name: string, rules: Partial<Policy>): GuardrailRecord {
  const policy = { ...emptyPolicy, ...rules }
  return { id: name, workspaceId: 'w', name, description: null, policy, createdAt: 0, updatedAt: 0 }
}

/** Up to three guardrails that apply to one request. */
export const guardrails: fc.Arbitrary<GuardrailRecord[]> = fc
  .array(policy, { maxLength: 3 })
  .map((policies) => policies.map((rules, i) => guardrailWith(['default', 'member', 'key'][i]!, rules)))

const offer = fc.record({
  provider: fc.constantFrom(...providers),
  price: fc.constantFrom('0', '0.000001'),
  zeroDataRetention: fc.boolean(),
  trainsOnData: fc.boolean(),
  publishesPrompts: fc.boolean(),
})

/** Every model of the small catalogue, each with random offers. */
export const models: fc.Arbitrary<Model[]> = fc
  .array(fc.array(offer, { minLength: 1, maxLength: 3 }), {
    minLength: modelNames.length,
    maxLength: modelNames.length,
  })
  .map((offers) => modelNames.map((id, i) => asModel(id, offers[i]!)))

function asModel(id: string, offers: (typeof offer extends fc.Arbitrary<infer T> ? T : never)[]): Model {
  const endpoints = offers.map(
    ({ price, ...facts }, i) =>
      ({ id: `${id}@${facts.provider}/${i}`, prices: { prompt: price, completion: price }, ...facts }) as Endpoint,
  )
  return { id, canonicalSlug: dated(id), author: id.split('/')[0]!, endpoints } as Model
}

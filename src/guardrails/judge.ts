import type { Endpoint, Model, Region } from '#catalogue/model.ts'
import type { Config } from '#config/settings.ts'
import type { GuardrailRecord } from './guardrail.ts'
import type { Policy } from './policy.ts'

/** The rule of a guardrail that forbids something, by the name of its field. */
export type Rule = Extract<
  keyof Policy,
  | 'allowed_data_regions'
  | 'allowed_models'
  | 'ignored_models'
  | 'allowed_providers'
  | 'ignored_providers'
  | 'enable_free_model_publication'
  | 'enable_free_model_training'
  | 'enable_paid_model_training'
  | `enforce_zdr_${string}`
>

/** Who forbids, and by which rule. */
export type Verdict = { guardrail: GuardrailRecord; rule: Rule }

type JudgedModel = Pick<Model, 'canonicalSlug' | 'author'>
type JudgedEndpoint = Pick<Endpoint, 'provider' | 'prices' | 'zeroDataRetention' | 'trainsOnData' | 'publishesPrompts'>
type Vendors = Config['zdr_vendors']

/**
 * What several guardrails say together. Each speaks for itself and any may forbid: so allowed lists intersect, ignored
 * lists unite, and bans add up.
 */
function firstOf(
  guardrails: readonly GuardrailRecord[],
  rule: (policy: Policy) => Rule | undefined,
): Verdict | undefined {
  for (const guardrail of guardrails) {
    const broken = rule(guardrail.policy)
    if (broken) return { guardrail, rule: broken }
  }
  return undefined
}

/** Whether a request may come in through a region. */
export function judgeRegion(guardrails: readonly GuardrailRecord[], region: Region): Verdict | undefined {
  return firstOf(guardrails, ({ allowed_data_regions: allowed }) =>
    allowed && !allowed.includes(region) ? 'allowed_data_regions' : undefined,
  )
}

/** Whether a model may be asked at all, whoever serves it. */
export function judgeModel(
  guardrails: readonly GuardrailRecord[],
  { canonicalSlug }: JudgedModel,
): Verdict | undefined {
  return firstOf(guardrails, ({ allowed_models: allowed, ignored_models: ignored }) => {
    if (allowed && !allowed.includes(canonicalSlug)) return 'allowed_models'
    return ignored?.includes(canonicalSlug) ? 'ignored_models' : undefined
  })
}

/** Whether an endpoint of a model that may be asked may serve it. */
export function judgeEndpoint(
  guardrails: readonly GuardrailRecord[],
  model: JudgedModel,
  endpoint: JudgedEndpoint,
  vendors: Vendors,
): Verdict | undefined {
  const zdr = zdrFieldOf(model.author, vendors)
  return firstOf(guardrails, (policy) => {
    if (policy.allowed_providers && !policy.allowed_providers.includes(endpoint.provider)) return 'allowed_providers'
    if (policy.ignored_providers?.includes(endpoint.provider)) return 'ignored_providers'
    if ((policy[zdr] ?? policy.enforce_zdr) === true && !endpoint.zeroDataRetention) return zdr
    return brokenBan(policy, endpoint)
  })
}

function brokenBan(policy: Policy, endpoint: JudgedEndpoint): Rule | undefined {
  const free = Number(endpoint.prices.prompt) === 0 && Number(endpoint.prices.completion) === 0
  if (free && endpoint.publishesPrompts && policy.enable_free_model_publication === false)
    return 'enable_free_model_publication'
  if (!endpoint.trainsOnData) return undefined
  const training = free ? 'enable_free_model_training' : 'enable_paid_model_training'
  return policy[training] === false ? training : undefined
}

const letters = ['a', 'b', 'c', 'd'] as const

function zdrFieldOf(author: string, vendors: Vendors) {
  const letter = letters.find((known) => vendors[known].author === author)
  return letter ? (`enforce_zdr_vendor_${letter}` as const) : 'enforce_zdr_other'
}

import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { Policy } from './policy.ts'
import type { ZdrField } from './zdr.ts'

/** The properties of a model that rules test. */
export type EvaluatedModel = Pick<Model, 'canonicalSlug' | 'author'>
/** The properties of an endpoint that rules test. */
export type EvaluatedEndpoint = Pick<
  Endpoint,
  'provider' | 'prices' | 'zeroDataRetention' | 'trainsOnData' | 'publishesPrompts'
>

/** An endpoint, and the field that requires zero data retention from endpoints of its model's vendor. */
type EvaluatedOffer = { endpoint: EvaluatedEndpoint; zdrField: ZdrField }

/** Whether a policy forbids a value, such as a region, a model or an endpoint. */
export type Forbids<Value> = (policy: Policy, value: Value) => boolean | null | undefined

/**
 * The stage of a request at which a rule applies, and its test. Rules of content and limits have no test: `screen-request.ts`
 * applies the filters, and `guardrail-budget.ts` turns limits into budgets.
 */
type RuleKind =
  | { stage: 'region'; forbids: Forbids<Region> }
  | { stage: 'model'; forbids: Forbids<EvaluatedModel> }
  | { stage: 'endpoint'; forbids: Forbids<EvaluatedOffer> }
  | { stage: 'content' }
  | { stage: 'limit' }
  /** The field only changes the effect of another field. */
  | { stage: 'other rule' }

/** Whether a policy requires zero data retention from the endpoints of a vendor's models. */
export const requiresZdr = (policy: Policy, field: ZdrField) => (policy[field] ?? policy.enforce_zdr) === true

const createZdrRule = (field: ZdrField) =>
  ({
    stage: 'endpoint',
    forbids: (policy, { endpoint, zdrField }) =>
      zdrField === field && requiresZdr(policy, field) && !endpoint.zeroDataRetention,
  }) as const satisfies RuleKind

/**
 * Every field of a policy. Rules of the same stage are in the order of evaluation. Both the checks of requests and the
 * replay of past requests use this table. A field that is missing here does not compile.
 */
export const rules = {
  allowed_data_regions: {
    stage: 'region',
    forbids: ({ allowed_data_regions: allowed }, region) => allowed && !allowed.includes(region),
  },
  allowed_models: {
    stage: 'model',
    forbids: ({ allowed_models: allowed }, { canonicalSlug }) => allowed && !allowed.includes(canonicalSlug),
  },
  ignored_models: {
    stage: 'model',
    forbids: ({ ignored_models: ignored }, { canonicalSlug }) => ignored?.includes(canonicalSlug),
  },
  allowed_providers: {
    stage: 'endpoint',
    forbids: ({ allowed_providers: allowed }, { endpoint }) => allowed && !allowed.includes(endpoint.provider),
  },
  ignored_providers: {
    stage: 'endpoint',
    forbids: ({ ignored_providers: ignored }, { endpoint }) => ignored?.includes(endpoint.provider),
  },
  enforce_zdr: { stage: 'other rule' },
  enforce_zdr_vendor_a: createZdrRule('enforce_zdr_vendor_a'),
  enforce_zdr_vendor_b: createZdrRule('enforce_zdr_vendor_b'),
  enforce_zdr_vendor_c: createZdrRule('enforce_zdr_vendor_c'),
  enforce_zdr_vendor_d: createZdrRule('enforce_zdr_vendor_d'),
  enforce_zdr_other: createZdrRule('enforce_zdr_other'),
  enable_free_model_publication: {
    stage: 'endpoint',
    forbids: ({ enable_free_model_publication: allowed }, { endpoint }) =>
      allowed === false && endpoint.publishesPrompts && isFree(endpoint),
  },
  enable_free_model_training: {
    stage: 'endpoint',
    forbids: ({ enable_free_model_training: allowed }, { endpoint }) =>
      allowed === false && endpoint.trainsOnData && isFree(endpoint),
  },
  enable_paid_model_training: {
    stage: 'endpoint',
    forbids: ({ enable_paid_model_training: allowed }, { endpoint }) =>
      allowed === false && endpoint.trainsOnData && !isFree(endpoint),
  },
  content_filter_builtins: { stage: 'content' },
  content_filters: { stage: 'content' },
  limit_usd: { stage: 'limit' },
  group_limits: { stage: 'limit' },
  reset_interval: { stage: 'other rule' },
  include_byok_in_budgets: { stage: 'other rule' },
} as const satisfies Record<keyof Policy, RuleKind>

type Rules = typeof rules

export type Stage = Exclude<RuleKind['stage'], 'other rule'>

/** The rules of a stage, by the names of their fields. */
export type RuleOfStage<Name extends Stage> = {
  [Field in keyof Rules]: Rules[Field]['stage'] extends Name ? Field : never
}[keyof Rules]

/** Returns the rules of a stage in the order of evaluation, each with its test. */
export function rulesOfStage<Name extends Stage>(
  stage: Name,
): ({ rule: RuleOfStage<Name> } & Extract<RuleKind, { stage: Name }>)[] {
  return Object.entries(rules).flatMap(([rule, kind]) => (kind.stage === stage ? [{ rule, ...kind } as never] : []))
}

function isFree({ prices }: EvaluatedEndpoint): boolean {
  return Number(prices.prompt) === 0 && Number(prices.completion) === 0
}

import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { Policy } from './policy.ts'
import type { ZdrField } from './zdr.ts'

export type JudgedModel = Pick<Model, 'canonicalSlug' | 'author'>
export type JudgedEndpoint = Pick<
  Endpoint,
  'provider' | 'prices' | 'zeroDataRetention' | 'trainsOnData' | 'publishesPrompts'
>

/** An endpoint, and the field that requires zero data retention from endpoints of its model's vendor. */
type JudgedOffer = { endpoint: JudgedEndpoint; zdrField: ZdrField }

/** Whether a policy forbids the judged value. */
export type Forbids<Judged> = (policy: Policy, judged: Judged) => boolean | null | undefined

/**
 * The stage of a request at which a rule applies, and its test. Rules of content and limits have no test: `screen-request.ts`
 * applies the filters, and `guardrail-budget.ts` turns limits into budgets.
 */
type RuleKind =
  | { at: 'region'; forbids: Forbids<Region> }
  | { at: 'model'; forbids: Forbids<JudgedModel> }
  | { at: 'endpoint'; forbids: Forbids<JudgedOffer> }
  | { at: 'content' }
  | { at: 'limit' }
  /** The field only changes the effect of another field. */
  | { at: 'other rule' }

/** Whether a policy requires zero data retention from the endpoints of a vendor's models. */
export const requiresZdr = (policy: Policy, field: ZdrField) => (policy[field] ?? policy.enforce_zdr) === true

const createZdrRule = (field: ZdrField) =>
  ({
    at: 'endpoint',
    forbids: (policy, { endpoint, zdrField }) =>
      zdrField === field && requiresZdr(policy, field) && !endpoint.zeroDataRetention,
  }) as const satisfies RuleKind

/**
 * Every field of a policy. Rules of the same stage are in the order of evaluation. Both the checks of requests and the
 * replay of past requests use this table. A field that is missing here does not compile.
 */
export const rules = {
  allowed_data_regions: {
    at: 'region',
    forbids: ({ allowed_data_regions: allowed }, region) => allowed && !allowed.includes(region),
  },
  allowed_models: {
    at: 'model',
    forbids: ({ allowed_models: allowed }, { canonicalSlug }) => allowed && !allowed.includes(canonicalSlug),
  },
  ignored_models: {
    at: 'model',
    forbids: ({ ignored_models: ignored }, { canonicalSlug }) => ignored?.includes(canonicalSlug),
  },
  allowed_providers: {
    at: 'endpoint',
    forbids: ({ allowed_providers: allowed }, { endpoint }) => allowed && !allowed.includes(endpoint.provider),
  },
  ignored_providers: {
    at: 'endpoint',
    forbids: ({ ignored_providers: ignored }, { endpoint }) => ignored?.includes(endpoint.provider),
  },
  enforce_zdr: { at: 'other rule' },
  enforce_zdr_vendor_a: createZdrRule('enforce_zdr_vendor_a'),
  enforce_zdr_vendor_b: createZdrRule('enforce_zdr_vendor_b'),
  enforce_zdr_vendor_c: createZdrRule('enforce_zdr_vendor_c'),
  enforce_zdr_vendor_d: createZdrRule('enforce_zdr_vendor_d'),
  enforce_zdr_other: createZdrRule('enforce_zdr_other'),
  enable_free_model_publication: {
    at: 'endpoint',
    forbids: ({ enable_free_model_publication: allowed }, { endpoint }) =>
      allowed === false && endpoint.publishesPrompts && isFree(endpoint),
  },
  enable_free_model_training: {
    at: 'endpoint',
    forbids: ({ enable_free_model_training: allowed }, { endpoint }) =>
      allowed === false && endpoint.trainsOnData && isFree(endpoint),
  },
  enable_paid_model_training: {
    at: 'endpoint',
    forbids: ({ enable_paid_model_training: allowed }, { endpoint }) =>
      allowed === false && endpoint.trainsOnData && !isFree(endpoint),
  },
  content_filter_builtins: { at: 'content' },
  content_filters: { at: 'content' },
  limit_usd: { at: 'limit' },
  group_limits: { at: 'limit' },
  reset_interval: { at: 'other rule' },
  include_byok_in_budgets: { at: 'other rule' },
} as const satisfies Record<keyof Policy, RuleKind>

type Rules = typeof rules

export type Stage = Exclude<RuleKind['at'], 'other rule'>

/** The rules of a stage, by the names of their fields. */
export type RuleAt<At extends Stage> = {
  [Field in keyof Rules]: Rules[Field]['at'] extends At ? Field : never
}[keyof Rules]

/** The rules of a stage in their order, each with the values that it forbids there. */
export function rulesAt<At extends Stage>(at: At): ({ rule: RuleAt<At> } & Extract<RuleKind, { at: At }>)[] {
  return Object.entries(rules).flatMap(([rule, kind]) => (kind.at === at ? [{ rule, ...kind } as never] : []))
}

function isFree({ prices }: JudgedEndpoint): boolean {
  return Number(prices.prompt) === 0 && Number(prices.completion) === 0
}

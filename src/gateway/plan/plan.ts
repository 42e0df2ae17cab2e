import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { OrderedBy } from '#spend/ledger/generation.ts'
import type { CircuitHealth } from './circuit-health.ts'

export type SortKey = 'price' | 'throughput' | 'latency'

/** A request's preferences among endpoints. Prices are USD per million tokens, or per request or image. */
export type Preferences = {
  order?: string[]
  only?: string[]
  ignore?: string[]
  allowFallbacks: boolean
  requireParameters: boolean
  dataCollection: 'allow' | 'deny'
  zdr: boolean
  quantizations?: string[]
  sort?: SortKey
  /** `model`: a sort applies within each model, and the models stay in the order of the request. `none`: it ignores models. */
  partition: 'model' | 'none'
  maxPrice?: { prompt?: number; completion?: number; request?: number; image?: number }
  /** Tokens per second. */
  preferredMinThroughput?: number
  preferredMaxLatencyMs?: number
}

/** The capabilities that a request needs, whatever it prefers. */
export type RequestNeeds = {
  /** All parameters of the request, by their names in the catalogue. Empty without `requireParameters`. */
  parameters: string[]
  /** Parameters without which a response would be wrong, such as `tools`. Endpoints that lack one are always excluded. */
  required: string[]
  /** Kinds of input other than text that the model must accept. */
  inputModalities: string[]
  /** A low estimate of the prompt's tokens. */
  promptTokens: number
}

/** One model of the request's fallback list, with the sort of its variant (`:floor`, `:nitro`). */
export type Candidate = { model: Model; endpoints: Endpoint[]; sort?: SortKey }

/** The recent medians of an endpoint: time to the first token, and tokens per second. Null without enough measurements. */
export type Speeds = { latencyMs: number | null; throughput: number | null }

/** One endpoint of a plan, with its model. */
export type Target = { model: Model; endpoint: Endpoint }

/** The reason why an endpoint is excluded; reported if no endpoint remains. */
export type Exclusion =
  | 'unsupported_task'
  | 'provider_ignored'
  | 'provider_not_listed'
  | 'data_policy'
  | 'quantization'
  | 'unsupported_parameter'
  | 'unsupported_tool'
  | 'unsupported_input'
  | 'one_answer'
  | 'context_too_small'
  | 'too_expensive'
  | 'unconfigured'
  | 'unavailable_now'
  | 'no_fallbacks'

/** The reason why an endpoint is ranked lower, except the draw, the price and the request's own order. `circuit_shut`: its circuit breaker is open. */
export type LowerRankReason = 'troubled' | 'circuit_shut' | 'slow'

/** An excluded endpoint, with the parameters that it lacks if that is the reason. */
export type ExcludedTarget = { target: Target; reason: Exclusion; missingParameters?: string[] }

export type Plan = {
  targets: Target[]
  excludedTargets: ExcludedTarget[]
  /** The reasons for lower ranks, by endpoint id. Undefined if there are none, as in most plans. */
  lowerRankReasons?: ReadonlyMap<string, LowerRankReason> | undefined
  /** The rule that decided the order; undefined with fewer than two endpoints. */
  orderedBy?: OrderedBy | undefined
}

export type PlanInput = {
  candidates: Candidate[]
  preferences: Preferences
  needs: RequestNeeds
  /** The state of the endpoint's circuit. */
  health: (endpoint: Endpoint) => CircuitHealth
  speeds: (endpoint: Endpoint) => Speeds
  /** Whether requests for the task of this request can be sent to the endpoint. */
  supportsTask: (endpoint: Endpoint) => boolean
  /** Whether the endpoint supports the provider tools of the request. */
  supportsTools: (endpoint: Endpoint) => boolean
  /** Whether the endpoint can return `n` choices. */
  supportsChoices: (endpoint: Endpoint) => boolean
  isConfigured: (endpoint: Endpoint) => boolean
  /** The endpoint's random draw between 0 and 1, the same for all requests of a conversation. */
  draw: (endpoint: Endpoint) => number
}

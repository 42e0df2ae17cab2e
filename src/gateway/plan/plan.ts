import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { OrderedBy } from '#spend/ledger/generation.ts'
import type { CircuitHealth } from './circuit.ts'

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
  /** Whether a sort keeps each model's endpoints together, in the order the models were named. */
  partition: 'model' | 'none'
  maxPrice?: { prompt?: number; completion?: number; request?: number; image?: number }
  preferredMinThroughput?: number
  preferredMaxLatencyMs?: number
}

/** The capabilities that a request needs, whatever it prefers. */
export type Needs = {
  /** Parameters of the request, as the catalogue names them. */
  parameters: string[]
  /** Parameters that change what an answer means: an endpoint without them is not asked. `tools`, `response_format`. */
  required: string[]
  /** Kinds of input besides text that the model must take. */
  inputModalities: string[]
  /** A cautious estimate: at least so many tokens. */
  promptTokens: number
}

/** One model of the request's fallback list, and the sort its variant stands for. */
export type Candidate = { model: Model; endpoints: Endpoint[]; sort?: SortKey }

/** The medians that were measured of an endpoint lately, where enough was. */
export type Speeds = { latencyMs: number | null; throughput: number | null }

export type Target = { model: Model; endpoint: Endpoint }

/** Why an endpoint is not in the plan; said when none is left. */
export type Exclusion =
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

/** Why an endpoint was put behind others, for a reason other than the draw, the price or the request's own order. */
export type Behind = 'troubled' | 'circuit_shut' | 'slow'

/** An endpoint that is not asked, and which of the parameters it lacks where it is for them. */
export type Excluded = { target: Target; reason: Exclusion; lacks?: string[] }

export type Plan = {
  targets: Target[]
  excluded: Excluded[]
  /** Why endpoints were put behind others, by endpoint id. Undefined for most plans: nothing was put behind. */
  behind?: ReadonlyMap<string, Behind> | undefined
  /** What decided the order; undefined with fewer than two endpoints. */
  orderedBy?: OrderedBy | undefined
}

export type PlanInput = {
  candidates: Candidate[]
  preferences: Preferences
  needs: Needs
  /** The state of the endpoint's circuit. */
  health: (endpoint: Endpoint) => CircuitHealth
  speeds: (endpoint: Endpoint) => Speeds
  /** Whether the endpoint's protocol can express the provider tools of the request. */
  knowsTools: (endpoint: Endpoint) => boolean
  /** Whether the caller gets as many answers of the endpoint as the request wants (`n`). */
  givesAnswers: (endpoint: Endpoint) => boolean
  configured: (endpoint: Endpoint) => boolean
  /** The endpoint's random draw for this request, above 0 and below 1: the same for requests that belong together. */
  draw: (endpoint: Endpoint) => number
}

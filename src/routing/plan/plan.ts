import type { Endpoint, Model } from '#catalogue/model.ts'
import type { OrderedBy } from '#usage/generation.ts'
import type { CircuitHealth } from './circuit.ts'
import { pricePerMillion, weightedPrice } from './price.ts'

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
  /** Those without which the answer would be wrong rather than different: `tools`, `response_format`. */
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
  | 'context_too_small'
  | 'too_expensive'
  | 'unconfigured'
  | 'unavailable_now'
  | 'no_fallbacks'

/** Why an endpoint stands behind others, where that is not its lot, its price or what the request says. */
export type Behind = 'troubled' | 'circuit_shut' | 'slow'

/** An endpoint that is not asked, and which of the parameters it lacks where it is for them. */
export type Excluded = { target: Target; reason: Exclusion; lacks?: string[] }

export type Plan = {
  targets: Target[]
  excluded: Excluded[]
  /** Of endpoints that were put behind others, by their ids; mostly there is none. */
  behind?: ReadonlyMap<string, Behind> | undefined
  /** Undefined where there are no two to be put in order. */
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
  configured: (endpoint: Endpoint) => boolean
  /** The endpoint's lot for this request, above 0 and below 1: the same for requests that belong together. */
  draw: (endpoint: Endpoint) => number
}

/**
 * Which endpoints to ask, in which order. Without an explicit order or sort: those without recent trouble first, drawn
 * by 1/price², then the troubled ones; the models of a fallback list one after the other. In any case those whose
 * circuits are shut come last. Lots decide only among endpoints that nothing else tells apart.
 */
export function planAttempts(input: PlanInput): Plan {
  const excluded: Plan['excluded'] = []
  const behind = new BehindNotes()
  const groups = input.candidates.map(({ model, endpoints, sort }) => {
    const kept: Target[] = []
    for (const endpoint of endpoints) {
      const reason = exclusionOf(model, endpoint, input)
      if (reason) excluded.push(excludedFor(reason, { model, endpoint }, input))
      else kept.push({ model, endpoint })
    }
    const wanted = input.preferences.sort ?? sort
    // Who says the order has it, trouble or not.
    const isDrawn = wanted === undefined && input.preferences.order === undefined
    return { kept: byDraw(kept, input, isDrawn ? behind : undefined), sort: wanted }
  })
  const { preferences } = input
  const ordered =
    preferences.sort && preferences.partition === 'none'
      ? inOrder(
          groups.flatMap((group) => group.kept),
          preferences.sort,
          input,
          behind,
        )
      : groups.flatMap((group) => inOrder(group.kept, group.sort, input, behind))
  const targets = shutLast(ordered, input, behind)
  const orderedBy = targets.length < 2 ? undefined : orderOf(input)
  if (preferences.allowFallbacks) return { targets, excluded, behind: behind.found, orderedBy }
  const first = withoutFallbacks(targets, preferences)
  for (const target of targets) if (!first.includes(target)) excluded.push({ target, reason: 'no_fallbacks' })
  return { targets: first, excluded, behind: behind.found, orderedBy }
}

/** A request's own list comes before its sort, and that before the one of a model's variant. */
function orderOf({ preferences: { order, sort }, candidates }: PlanInput): OrderedBy {
  return order ? 'order' : (sort ?? candidates[0]?.sort ?? 'draw')
}

/** What is noted while the plan is made. */
class BehindNotes {
  found: Map<string, Behind> | undefined

  note({ endpoint }: Target, why: Behind): void {
    this.found ??= new Map()
    this.found.set(endpoint.id, why)
  }
}

/** Half a chance is better than none, and any other is better than that. */
function shutLast(targets: Target[], { health }: PlanInput, behind: BehindNotes): Target[] {
  const isShut = ({ endpoint }: Target) => health(endpoint) === 'shut'
  if (!targets.some(isShut)) return targets
  const shut = targets.filter(isShut)
  for (const target of shut) behind.note(target, 'circuit_shut')
  return [...targets.filter((target) => !shut.includes(target)), ...shut]
}

/** No endpoint that was not asked for: those of an explicit order, else the first of each model. */
function withoutFallbacks(targets: Target[], { order, sort, partition }: Preferences): Target[] {
  if (order) return targets
  if (sort && partition === 'none') return targets.slice(0, 1)
  return targets.filter(({ model }, at) => at === targets.findIndex((target) => target.model === model))
}

function exclusionOf(model: Model, endpoint: Endpoint, input: PlanInput): Exclusion | undefined {
  const { preferences, needs, configured, health } = input
  const { ignore, only, order } = preferences
  if (ignore && isAmong(endpoint, ignore)) return 'provider_ignored'
  if (only && !isAmong(endpoint, only)) return 'provider_not_listed'
  if (order && !preferences.allowFallbacks && !isAmong(endpoint, order)) return 'provider_not_listed'
  if (preferences.zdr && !endpoint.zeroDataRetention) return 'data_policy'
  if (preferences.dataCollection === 'deny' && (endpoint.trainsOnData || endpoint.publishesPrompts))
    return 'data_policy'
  if (preferences.quantizations && !preferences.quantizations.includes(endpoint.quantization)) return 'quantization'
  if (needed(input).some((name) => !endpoint.supportedParameters.includes(name))) return 'unsupported_parameter'
  if (!input.knowsTools(endpoint)) return 'unsupported_tool'
  if (!needs.inputModalities.every((kind) => model.inputModalities.includes(kind))) return 'unsupported_input'
  if (needs.promptTokens > endpoint.contextLength) return 'context_too_small'
  if (preferences.maxPrice && isAbove(endpoint, preferences.maxPrice)) return 'too_expensive'
  if (!configured(endpoint)) return 'unconfigured'
  if (health(endpoint) === 'barred') return 'unavailable_now'
  return undefined
}

const needed = ({ preferences, needs }: PlanInput) =>
  preferences.requireParameters ? needs.parameters : needs.required

function excludedFor(reason: Exclusion, target: Target, input: PlanInput): Excluded {
  if (reason !== 'unsupported_parameter') return { target, reason }
  const { supportedParameters } = target.endpoint
  return { target, reason, lacks: needed(input).filter((name) => !supportedParameters.includes(name)) }
}

const isAmong = (endpoint: Endpoint, names: string[]) => names.some((name) => isNamed(endpoint, name))

/** A provider is named by its slug; a tag names one of its endpoints. */
export function isNamed(endpoint: Endpoint, name: string): boolean {
  const lower = name.toLowerCase()
  return lower === endpoint.provider || lower === endpoint.tag
}

function isAbove({ prices }: Endpoint, max: NonNullable<Preferences['maxPrice']>): boolean {
  const above = (price: string | undefined, bound: number | undefined, scale: number) =>
    bound !== undefined && price !== undefined && pricePerMillion(price) * scale > bound
  return (
    above(prices.prompt, max.prompt, 1) ||
    above(prices.completion, max.completion, 1) ||
    above(prices.request, max.request, 1e-6) ||
    above(prices.image, max.image, 1e-6)
  )
}

/** @param targets as they are drawn: so they stay wherever nothing tells them apart. */
function inOrder(targets: Target[], sort: SortKey | undefined, input: PlanInput, behind: BehindNotes): Target[] {
  const sorted = sort ? bySort(targets, sort, input) : targets
  const { order } = input.preferences
  return order ? byExplicitOrder(sorted, order) : preferred(sorted, input, behind)
}

function byExplicitOrder(targets: Target[], order: string[]): Target[] {
  const first = new Set(order.flatMap((name) => targets.filter(({ endpoint }) => isNamed(endpoint, name))))
  return [...first, ...targets.filter((target) => !first.has(target))]
}

function bySort(targets: Target[], sort: SortKey, { speeds }: PlanInput): Target[] {
  const value = ({ endpoint }: Target): number => {
    if (sort === 'price') return weightedPrice(endpoint.prices)
    if (sort === 'latency') return speeds(endpoint).latencyMs ?? Number.POSITIVE_INFINITY
    return -(speeds(endpoint).throughput ?? Number.NEGATIVE_INFINITY)
  }
  // Without figures on both sides the difference is NaN, which keeps their order.
  return targets.toSorted((a, b) => value(a) - value(b) || 0)
}

/** The troubled ones after all others: those keep their order, and so their sessions, whoever is troubled. */
function byDraw(targets: Target[], { health, draw }: PlanInput, behind: BehindNotes | undefined): Target[] {
  const healthy: Target[] = []
  const troubled: Target[] = []
  for (const target of targets) {
    if (health(target.endpoint) === 'fit') healthy.push(target)
    else troubled.push(target)
  }
  if (healthy.length > 0) for (const target of troubled) behind?.note(target, 'troubled')
  return [...drawn(healthy, draw), ...drawn(troubled, draw)]
}

/** The cheapest a price counts as: a free endpoint must not make every other one impossible. */
const floorUsdPerMillion = 0.01

/**
 * Weighted rendezvous hashing, each endpoint weighted by 1/price². As often as by drawing without replacement each
 * comes first, second and so on; and one that comes or goes moves no lots but its own.
 */
function drawn(targets: Target[], draw: PlanInput['draw']): Target[] {
  if (targets.length < 2) return targets
  return targets
    .map((target) => {
      const price = Math.max(weightedPrice(target.endpoint.prices), floorUsdPerMillion)
      return { target, at: -Math.log(draw(target.endpoint)) * price * price }
    })
    .sort((a, b) => a.at - b.at)
    .map(({ target }) => target)
}

/** Endpoints that miss a preferred speed stay in the plan, behind those that have it or are not known to miss it. */
function preferred(targets: Target[], { preferences, speeds }: PlanInput, behind: BehindNotes): Target[] {
  const { preferredMinThroughput: min, preferredMaxLatencyMs: max } = preferences
  if (min === undefined && max === undefined) return targets
  const misses = ({ endpoint }: Target) => {
    const { throughput, latencyMs } = speeds(endpoint)
    return (
      (min !== undefined && throughput !== null && throughput < min) ||
      (max !== undefined && latencyMs !== null && latencyMs > max)
    )
  }
  const slow = targets.filter(misses)
  for (const target of slow) behind.note(target, 'slow')
  return [...targets.filter((target) => !slow.includes(target)), ...slow]
}

import { weightedPrice } from './comparable-price.ts'
import { isNamed } from './exclusion.ts'
import type { LowerRankReason, PlanInput, SortKey, Target } from './plan.ts'

/** Collects the endpoints that the plan ranks lower, with the reason. */
export class LowerRanks {
  reasons: Map<string, LowerRankReason> | undefined

  add({ endpoint }: Target, reason: LowerRankReason): void {
    this.reasons ??= new Map()
    this.reasons.set(endpoint.id, reason)
  }
}

/** Applies the sort, the explicit order and preferred speeds. @param targets in draw order, which breaks ties. */
export function sortTargets(
  targets: Target[],
  sort: SortKey | undefined,
  input: PlanInput,
  lowerRanks: LowerRanks,
): Target[] {
  const sorted = sort ? applySort(targets, sort, input) : targets
  const { order } = input.preferences
  return order ? applyOrder(sorted, order) : moveSlowLast(sorted, input, lowerRanks)
}

function applyOrder(targets: Target[], order: string[]): Target[] {
  const namedTargets = new Set(order.flatMap((name) => targets.filter(({ endpoint }) => isNamed(endpoint, name))))
  return [...namedTargets, ...targets.filter((target) => !namedTargets.has(target))]
}

function applySort(targets: Target[], sort: SortKey, { speeds }: PlanInput): Target[] {
  const sortValue = ({ endpoint }: Target): number => {
    if (sort === 'price') return weightedPrice(endpoint.prices)
    if (sort === 'latency') return speeds(endpoint).latencyMs ?? Number.POSITIVE_INFINITY
    return -(speeds(endpoint).throughput ?? Number.NEGATIVE_INFINITY)
  }
  // If both lack measurements, the difference is NaN, and the order stays.
  return targets.toSorted((a, b) => sortValue(a) - sortValue(b) || 0)
}

/** Orders by the random draw, troubled endpoints last. Healthy ones keep their order, and so their sessions. */
export function orderRandomly(
  targets: Target[],
  { health, draw }: PlanInput,
  lowerRanks: LowerRanks | undefined,
): Target[] {
  const healthy: Target[] = []
  const troubledTargets: Target[] = []
  for (const target of targets) {
    if (health(target.endpoint) === 'healthy') healthy.push(target)
    else troubledTargets.push(target)
  }
  const weightOf = chooseWeights(targets)
  if (troubledTargets.length === 0) return drawByWeight(healthy, draw, weightOf)
  if (healthy.length > 0) for (const target of troubledTargets) lowerRanks?.add(target, 'troubled')
  return [...drawByWeight(healthy, draw, weightOf), ...drawByWeight(troubledTargets, draw, weightOf)]
}

/** Lower prices count as this one. Otherwise a free endpoint would win every draw. */
const minUsdPerMillion = 0.01

/**
 * The weight of each endpoint: 1/price², the rule that OpenRouter documents. If the catalogue sets a weight for one of them,
 * catalogue weights apply to all, with a default of 1.
 */
function chooseWeights(targets: Target[]): (target: Target) => number {
  if (targets.some(({ endpoint }) => endpoint.weight !== undefined)) return ({ endpoint }) => endpoint.weight ?? 1
  return ({ endpoint }) => 1 / Math.max(weightedPrice(endpoint.prices), minUsdPerMillion) ** 2
}

/**
 * Weighted rendezvous hashing. Each rank is as likely as in a draw without replacement, and a
 * new or missing endpoint does not change the order of the others.
 */
function drawByWeight(targets: Target[], draw: PlanInput['draw'], weightOf: (target: Target) => number): Target[] {
  if (targets.length < 2) return targets
  return (
    targets
      .map((target) => ({ target, rank: -Math.log(draw(target.endpoint)) / weightOf(target) }))
      // Endpoints without any weight are last. The difference of two of them is NaN, and their order stays.
      .sort((a, b) => a.rank - b.rank || 0)
      .map(({ target }) => target)
  )
}

/** Moves endpoints that are measured to miss a preferred speed to the end. */
function moveSlowLast(targets: Target[], { preferences, speeds }: PlanInput, lowerRanks: LowerRanks): Target[] {
  const { preferredMinThroughput: min, preferredMaxLatencyMs: max } = preferences
  if (min === undefined && max === undefined) return targets
  const missesPreference = ({ endpoint }: Target) => {
    const { throughput, latencyMs } = speeds(endpoint)
    return (
      (min !== undefined && throughput !== null && throughput < min) ||
      (max !== undefined && latencyMs !== null && latencyMs > max)
    )
  }
  const slow = targets.filter(missesPreference)
  for (const target of slow) lowerRanks.add(target, 'slow')
  return [...targets.filter((target) => !slow.includes(target)), ...slow]
}

/** Moves endpoints with an open circuit to the end: they are tried only if all others failed. */
export function moveOpenCircuitsLast(targets: Target[], { health }: PlanInput, lowerRanks: LowerRanks): Target[] {
  const isOpen = ({ endpoint }: Target) => health(endpoint) === 'open'
  if (!targets.some(isOpen)) return targets
  const openTargets = targets.filter(isOpen)
  for (const target of openTargets) lowerRanks.add(target, 'circuit_shut')
  return [...targets.filter((target) => !openTargets.includes(target)), ...openTargets]
}

import { weightedPrice } from './comparable-price.ts'
import { isNamed } from './exclusion.ts'
import type { Behind, PlanInput, SortKey, Target } from './plan.ts'

/** Which endpoints were put behind others, and why: noted while the plan is made. */
export class BehindNotes {
  found: Map<string, Behind> | undefined

  note({ endpoint }: Target, why: Behind): void {
    this.found ??= new Map()
    this.found.set(endpoint.id, why)
  }
}

/** @param targets in the order of their draw, which they keep where the sort finds no difference. */
export function inOrder(targets: Target[], sort: SortKey | undefined, input: PlanInput, behind: BehindNotes): Target[] {
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
export function byDraw(targets: Target[], { health, draw }: PlanInput, behind: BehindNotes | undefined): Target[] {
  const healthy: Target[] = []
  const troubled: Target[] = []
  for (const target of targets) {
    if (health(target.endpoint) === 'fit') healthy.push(target)
    else troubled.push(target)
  }
  if (healthy.length > 0) for (const target of troubled) behind?.note(target, 'troubled')
  return [...drawn(healthy, draw), ...drawn(troubled, draw)]
}

/** A lower price counts as this one: else a free endpoint would win every draw. */
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

/** Endpoints whose circuit is shut come last: they are asked only when all others have failed. */
export function shutLast(targets: Target[], { health }: PlanInput, behind: BehindNotes): Target[] {
  const isShut = ({ endpoint }: Target) => health(endpoint) === 'shut'
  if (!targets.some(isShut)) return targets
  const shut = targets.filter(isShut)
  for (const target of shut) behind.note(target, 'circuit_shut')
  return [...targets.filter((target) => !shut.includes(target)), ...shut]
}

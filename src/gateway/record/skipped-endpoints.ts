import { isoTime } from '#platform/core/clock.ts'
import type { AttemptNote, NotAsked } from '#spend/ledger/generation.ts'
import type { Shut } from '../plan/circuit.ts'
import type { Candidate, Plan, Target } from '../plan/plan.ts'

/** What was decided before the first attempt. It is only kept here; the record is made of it when the request is over. */
export type Planned = {
  /** The models that could answer with all their endpoints, and with those that guardrails let be asked. */
  candidates: readonly Candidate[]
  permitted: readonly Candidate[]
  plan: Plan
  /** The endpoints of the plan that are left where a spending limit counts only what has a price. */
  targets: readonly Target[]
}

/** No row is to become long because a model has many endpoints. */
const mostTold = 30

const nothing: ReadonlySet<string> = new Set()

/**
 * The endpoints that could have answered and were not asked, by why; undefined where there is none.
 * @param forbidden the ids of those whose turn came when a guardrail had come to forbid them.
 */
export function notAsked(
  { candidates, permitted, plan, targets }: Planned,
  attempts: readonly AttemptNote[],
  forbidden: ReadonlySet<string> = nothing,
): NotAsked | undefined {
  let found: { [reason: string]: string[] } | undefined
  let told = 0
  const tell = (reason: string, endpointId: string) => {
    if (told++ >= mostTold) return
    found ??= {}
    found[reason] ??= []
    found[reason].push(endpointId)
  }
  if (targets.length > 1 || forbidden.size > 0) {
    for (const { endpoint } of targets) {
      if (attempts.some(({ endpointId }) => endpointId === endpoint.id)) continue
      const why = forbidden.has(endpoint.id) ? 'guardrail' : (plan.behind?.get(endpoint.id) ?? 'not_reached')
      tell(why, endpoint.id)
    }
  }
  for (const { target, reason } of plan.excluded) tell(reason, target.endpoint.id)
  if (targets.length < plan.targets.length) {
    for (const target of plan.targets) if (!targets.includes(target)) tell('not_priceable', target.endpoint.id)
  }
  if (permitted === candidates) return found
  for (const { model, endpoints } of candidates) {
    const left = permitted.find((candidate) => candidate.model === model)?.endpoints ?? []
    if (left.length === endpoints.length) continue
    for (const endpoint of endpoints) if (!left.includes(endpoint)) tell('guardrail', endpoint.id)
  }
  return found
}

/** An endpoint that its circuit kept from being asked. */
export function shutOutNote({ endpoint }: Target, { reason, until }: Shut): AttemptNote {
  return {
    endpointId: endpoint.id,
    provider: endpoint.provider,
    outcome: 'circuit_open',
    durationMs: 0,
    reason: `${reason} until ${isoTime(until)}`,
  }
}

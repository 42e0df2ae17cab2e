import { isoTime } from '#platform/core/clock.ts'
import type { AttemptNote, SkippedEndpoints } from '#spend/ledger/generation.ts'
import type { Restriction } from '../plan/circuit-health.ts'
import type { Candidate, Plan, Target } from '../plan/plan.ts'

/** The decisions before the first attempt. The list of skipped endpoints is derived from them when the request ends. */
export type PlanningResult = {
  /** The candidate models with all endpoints, and with those that the guardrails permit. */
  candidates: readonly Candidate[]
  permitted: readonly Candidate[]
  plan: Plan
  /** The endpoints of the plan without those that have no price for the request, if a spending limit applies. */
  targets: readonly Target[]
}

/** Limits the size of a ledger row for models with many endpoints. */
const maxListed = 30

const noIds: ReadonlySet<string> = new Set()

/**
 * The candidate endpoints that were not tried, by reason; undefined if there are none.
 * @param forbiddenIds the ids of endpoints that a guardrail forbids since the plan was made.
 */
export function listSkippedEndpoints(
  { candidates, permitted, plan, targets }: PlanningResult,
  attempts: readonly AttemptNote[],
  forbiddenIds: ReadonlySet<string> = noIds,
): SkippedEndpoints | undefined {
  let skipped: { [reason: string]: string[] } | undefined
  let listedCount = 0
  const addSkipped = (reason: string, endpointId: string) => {
    if (listedCount++ >= maxListed) return
    skipped ??= {}
    skipped[reason] ??= []
    skipped[reason].push(endpointId)
  }
  // A single target is missing from the attempts only if the request failed before the first one. The cause is recorded anyway.
  if (targets.length > 1 || forbiddenIds.size > 0) {
    for (const { endpoint } of targets) {
      if (attempts.some(({ endpointId }) => endpointId === endpoint.id)) continue
      const reason = forbiddenIds.has(endpoint.id)
        ? 'guardrail'
        : (plan.lowerRankReasons?.get(endpoint.id) ?? 'not_reached')
      addSkipped(reason, endpoint.id)
    }
  }
  for (const { target, reason } of plan.excludedTargets) addSkipped(reason, target.endpoint.id)
  if (targets.length < plan.targets.length) {
    for (const target of plan.targets) if (!targets.includes(target)) addSkipped('not_priceable', target.endpoint.id)
  }
  if (permitted === candidates) return skipped
  for (const { model, endpoints } of candidates) {
    const remaining = permitted.find((candidate) => candidate.model === model)?.endpoints ?? []
    if (remaining.length === endpoints.length) continue
    for (const endpoint of endpoints) if (!remaining.includes(endpoint)) addSkipped('guardrail', endpoint.id)
  }
  return skipped
}

/** The note of an endpoint that was skipped because its circuit is open. */
export function createOpenCircuitNote({ endpoint }: Target, { reason, until }: Restriction): AttemptNote {
  return {
    endpointId: endpoint.id,
    provider: endpoint.provider,
    outcome: 'circuit_open',
    durationMs: 0,
    reason: `${reason} until ${isoTime(until)}`,
  }
}

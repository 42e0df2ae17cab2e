import { admissionCost, type Circuit, isHopeless, type RestrictionReason } from './circuit.ts'

/** A hopeless endpoint, which failed many times in a row, gets one request in this time, which is enough to notice its recovery. */
const hopelessProbeIntervalMs = 1_000

/** How the plan treats an endpoint: `troubled` ranks below `healthy`, `open` is a last resort, `unavailable` is excluded. */
export type CircuitHealth = 'healthy' | 'troubled' | 'open' | 'unavailable'

/** @param circuit the state after the event `request.arrived` at `now`. */
export function healthOf(circuit: Circuit, now: number): CircuitHealth {
  if (now < circuit.pausedUntil) return 'unavailable'
  const admits = circuit.at === 'closed' || (circuit.at === 'half_open' && circuit.credit >= admissionCost)
  if (!admits) return isHopeless(circuit) && now - circuit.forcedAt < hopelessProbeIntervalMs ? 'unavailable' : 'open'
  return now < circuit.troubledUntil ? 'troubled' : 'healthy'
}

/** Why an endpoint gets no requests, or only some, and until when. */
export type Restriction = { reason: RestrictionReason; until: number }

export function restrictionOf(circuit: Circuit, now: number): Restriction | undefined {
  const openUntil = circuit.at === 'open' ? circuit.until : now
  if (circuit.pausedUntil > openUntil) return { reason: 'retry_after', until: circuit.pausedUntil }
  if (circuit.at === 'open') return { reason: circuit.reason, until: openUntil }
  if (circuit.at === 'closed' || circuit.credit >= admissionCost) return undefined
  // Half-open: credit grows by at least 1 per millisecond, so the missing credit is the longest wait in milliseconds.
  return { reason: 'failed_again', until: now + Math.max(1, admissionCost - circuit.credit) }
}

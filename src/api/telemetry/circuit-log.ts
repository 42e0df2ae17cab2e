import type { OnCircuitChange } from '#gateway/plan/circuits.ts'
import { isoTime } from '#platform/core/clock.ts'
import type { Log } from '#platform/process/log.ts'

/** Logs when a circuit opens, with the reason and the end time, and when it closes again. */
export function createCircuitLogger(log: Log): OnCircuitChange {
  return (endpoint, change) => {
    if (change.state === 'half_open') return
    if (change.state === 'closed') log.info({ endpoint }, 'circuit closed')
    else log.warn({ endpoint, reason: change.reason, until: isoTime(change.until) }, 'circuit opened')
  }
}

import type { RestrictionReason } from '#gateway/plan/circuit.ts'
import type { CircuitReport } from '#gateway/plan/circuits.ts'
import { createCounter, createGauge, type Metric } from '#platform/metrics/metric.ts'

/** The object lists each reason, so that the compiler reports a missing one. */
const reasons = Object.keys({
  failure_rate: 0,
  failed_again: 0,
  retry_after: 0,
} satisfies Record<RestrictionReason, 0>) as RestrictionReason[]

/** Endpoints whose circuit is not closed: how many and which, until when, and how often circuits opened. */
export function circuitMetrics(): {
  openings: Metric & { add: (reason: RestrictionReason) => void }
  gauges: (report: () => CircuitReport[]) => Metric[]
} {
  const openings = createCounter({
    name: 'signalbox_circuit_openings_total',
    help: 'Number of times that a circuit opened, by reason: failure_rate, failed_again, or retry_after.',
    labels: ['reason'],
  })
  for (const reason of reasons) openings.start(reason)
  return {
    openings,
    gauges: (report) => [
      createGauge(
        {
          name: 'signalbox_circuits',
          help: 'Endpoints whose circuit is not closed, by state: open, half_open, or paused (Retry-After).',
          aggregator: 'max',
          label: 'state',
        },
        () => countsOf(report()),
      ),
      createGauge(
        {
          name: 'signalbox_circuit_shut_until_seconds',
          help: 'End of each open or paused circuit, in seconds since the epoch; with the workspace if only its own credential is affected.',
          label: 'endpoint',
          aggregator: 'max',
        },
        () => Object.fromEntries(report().map(({ name, until }) => [name, until / 1000])),
      ),
    ],
  }
}

function countsOf(report: CircuitReport[]) {
  const counts: Record<CircuitReport['state'], number> = { open: 0, half_open: 0, paused: 0 }
  for (const { state } of report) counts[state]++
  return counts
}

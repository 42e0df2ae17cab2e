import type { RestrictionReason } from '#gateway/plan/circuit.ts'
import type { CircuitReport } from '#gateway/plan/circuits.ts'
import { createCounter, createGauge, type Metric } from '#platform/metrics/metric.ts'

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
    help: 'How often an endpoint was shut, by why: failure_rate, failed_again, or retry_after.',
    labels: ['reason'],
  })
  for (const reason of reasons) openings.start(reason)
  return {
    openings,
    gauges: (report) => [
      createGauge(
        {
          name: 'signalbox_circuits',
          help: 'How many endpoints do not let everybody in, by state: open, half_open, or paused (Retry-After).',
          aggregator: 'max',
          label: 'state',
        },
        () => countsOf(report()),
      ),
      createGauge(
        {
          name: 'signalbox_circuit_shut_until_seconds',
          help: 'The end of each circuit that is open or paused, in seconds since the epoch; with a workspace where only its own credential is concerned.',
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

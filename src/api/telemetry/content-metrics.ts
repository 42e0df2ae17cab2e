import { createCounter, createPlainGauge, type Metric } from '#platform/metrics/metric.ts'

/** Counts stored contents of requests, and contents dropped for lack of memory or of a database. */
export function contentMetrics(waitingBytes: () => number): {
  all: Metric[]
  add: (outcome: 'kept' | 'dropped', by: number) => void
} {
  const kept = createCounter({
    name: 'signalbox_contents_total',
    help: 'Requests whose content was to be kept: kept, or dropped, as too much was waiting or it could not be written.',
    labels: ['outcome'],
  })
  for (const outcome of ['kept', 'dropped']) kept.start(outcome)
  const waiting = createPlainGauge(
    { name: 'signalbox_contents_waiting_bytes', help: 'How much content waits to be written.' },
    waitingBytes,
  )
  return {
    all: [kept, waiting],
    add(outcome, by) {
      for (let n = 0; n < by; n++) kept.add(outcome)
    },
  }
}

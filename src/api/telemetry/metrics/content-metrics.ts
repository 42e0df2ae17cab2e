import { createCounter, createPlainGauge, type Metric } from '#platform/metrics/metric.ts'

/** Counts stored contents of requests, and contents dropped for lack of memory or of a database. */
export function contentMetrics(waitingBytes: () => number): {
  all: Metric[]
  add: (outcome: 'kept' | 'dropped', count: number) => void
} {
  const storedContents = createCounter({
    name: 'signalbox_contents_total',
    help: 'Requests whose content should be stored: stored, or dropped because the queue was full or writing failed.',
    labels: ['outcome'],
  })
  for (const outcome of ['kept', 'dropped']) storedContents.start(outcome)
  const waiting = createPlainGauge(
    { name: 'signalbox_contents_waiting_bytes', help: 'Size of the content that waits to be written.' },
    waitingBytes,
  )
  return {
    all: [storedContents, waiting],
    add(outcome, count) {
      for (let n = 0; n < count; n++) storedContents.add(outcome)
    },
  }
}

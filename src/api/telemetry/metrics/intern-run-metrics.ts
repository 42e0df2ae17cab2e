import { type EndReason, endReasons } from '#interns/contract/run.ts'
import { createCounter, type Metric } from '#platform/metrics/metric.ts'

/** Counts ended turns of interns, as reported by the server that manages the intern. */
export function internRunMetrics(): { all: Metric[]; observe: (outcome: EndReason) => void } {
  const ended = createCounter({
    name: 'signalbox_intern_turns_ended_total',
    help: 'Ended turns of interns, by outcome; over_budget: the turn reached its budget.',
    labels: ['outcome'],
  })
  for (const outcome of endReasons) ended.start(outcome)
  return { all: [ended], observe: (outcome) => ended.add(outcome) }
}

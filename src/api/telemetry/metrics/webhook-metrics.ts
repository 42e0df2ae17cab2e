import { createCounter, createGauge, type Metric } from '#platform/metrics/metric.ts'
import type { Backlog } from '#webhooks/delivery-backlog.ts'

const outcomes = ['delivered', 'retried', 'failed'] as const

/** Counts attempts to deliver to webhooks, by outcome. */
export function webhookMetrics(): { all: Metric[]; observe: (outcome: (typeof outcomes)[number]) => void } {
  const attempts = createCounter({
    name: 'signalbox_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook: delivered, retried later (retried), or failed finally (failed).',
    labels: ['outcome'],
  })
  for (const outcome of outcomes) attempts.start(outcome)
  return { all: [attempts], observe: (outcome) => attempts.add(outcome) }
}

/** Metrics of pending webhook deliveries. Every server of a database reports the same values. */
export function backlogMetrics(backlog: () => Backlog): Metric[] {
  const shared = { label: 'attempt', aggregator: 'max' } as const
  const waiting = 'Events not yet delivered to webhooks: waiting for the first attempt, or for a retry (again).'
  const oldest = 'The age of the oldest of them; 0 if there is none.'
  return [
    createGauge({ name: 'signalbox_webhook_waiting', help: waiting, ...shared }, () => {
      const { first, retries } = backlog()
      return { first: first.waiting, again: retries.waiting }
    }),
    createGauge({ name: 'signalbox_webhook_oldest_seconds', help: oldest, ...shared }, () => {
      const { first, retries } = backlog()
      return { first: first.oldestMs / 1000, again: retries.oldestMs / 1000 }
    }),
  ]
}

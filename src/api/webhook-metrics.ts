import { createCounter, type Metric } from '#lib/metric.ts'

const outcomes = ['delivered', 'retried', 'failed'] as const

/** Attempts to tell webhooks what happened. */
export function webhookMetrics(): { all: Metric[]; observe: (outcome: (typeof outcomes)[number]) => void } {
  const attempts = createCounter({
    name: 'signalbox_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook: delivered, to be tried again (retried), or given up (failed).',
    labels: ['outcome'],
  })
  for (const outcome of outcomes) attempts.start(outcome)
  return { all: [attempts], observe: (outcome) => attempts.add(outcome) }
}

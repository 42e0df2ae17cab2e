import { toUsd } from '#platform/core/pico-usd.ts'
import { createCounter, createHistogram, type Metric } from '#platform/metrics/metric.ts'
import type { Generation } from '#spend/ledger/generation.ts'

const secondBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const tokenBuckets = [1, 10, 50, 100, 500, 1000, 5000, 10_000, 50_000, 100_000, 500_000]
const usdBuckets = [0.00001, 0.0001, 0.001, 0.01, 0.1, 1, 10]

/** Usage and cost of completions, by provider and outcome. Models and keys as labels would make too many series. */
export function completionMetrics(): {
  all: Metric[]
  observe: (generation: Generation) => void
  observeUnmetered: () => void
} {
  const duration = createHistogram({
    name: 'signalbox_completion_duration_seconds',
    help: 'Completions and their duration.',
    labels: ['provider', 'outcome'],
    buckets: secondBuckets,
  })
  const firstToken = createHistogram({
    name: 'signalbox_completion_first_token_seconds',
    help: 'Time to the first token.',
    labels: ['provider'],
    buckets: secondBuckets,
  })
  const tokens = createHistogram({
    name: 'signalbox_completion_tokens',
    help: 'Tokens of a completion, by kind.',
    labels: ['provider', 'kind'],
    buckets: tokenBuckets,
  })
  const cost = createHistogram({
    name: 'signalbox_completion_cost_usd',
    help: 'Cost of a completion in USD.',
    labels: ['provider'],
    buckets: usdBuckets,
  })
  const attempts = createCounter({
    name: 'signalbox_completion_attempts_total',
    help: 'Attempts at endpoints, by outcome.',
    labels: ['provider', 'outcome'],
  })
  const unmetered = createCounter({
    name: 'signalbox_completion_unmetered_total',
    help: 'Completions that could not be metered, or that the database refused to store.',
    labels: [],
  })
  unmetered.start()
  for (const outcome of ['failed', 'client_left']) duration.start('none', outcome)
  return {
    all: [duration, firstToken, tokens, cost, attempts, unmetered],
    observeUnmetered: () => unmetered.add(),
    observe(generation) {
      const { provider = 'none', outcome, latencyMs } = generation
      duration.observe(generation.durationMs / 1000, provider, outcome)
      for (const attempt of generation.attempts) attempts.add(attempt.provider, attempt.outcome)
      if (generation.provider === undefined) return
      if (latencyMs !== undefined) firstToken.observe(latencyMs / 1000, provider)
      tokens.observe(generation.tokens.prompt, provider, 'prompt')
      tokens.observe(generation.tokens.completion, provider, 'completion')
      cost.observe(toUsd(generation.cost), provider)
    },
  }
}

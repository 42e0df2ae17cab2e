import { Counter, Histogram, type Registry } from 'prom-client'
import { toUsd } from '#lib/pico-usd.ts'
import type { Generation } from '#usage/generation.ts'

const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const tokenCounts = [1, 10, 50, 100, 500, 1000, 5000, 10_000, 50_000, 100_000, 500_000]
const usd = [0.00001, 0.0001, 0.001, 0.01, 0.1, 1, 10]

/** What completions took and cost, by provider and outcome: models and keys would make too many series. */
export function completionMetrics(register: Registry): (generation: Generation) => void {
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) => {
    const registers = [register]
    return series(new Histogram({ name: `signalbox_completion_${name}`, help, labelNames, buckets, registers }))
  }
  const duration = histogram(
    'duration_seconds',
    'Completions, and how long they took.',
    ['provider', 'outcome'],
    seconds,
  )
  const firstToken = histogram('first_token_seconds', 'Time to the first token.', ['provider'], seconds)
  const tokens = histogram('tokens', 'Tokens of a completion, by kind.', ['provider', 'kind'], tokenCounts)
  const cost = histogram('cost_usd', 'Cost of a completion in USD.', ['provider'], usd)
  const attempts = series(
    new Counter({
      name: 'signalbox_completion_attempts_total',
      help: 'Endpoints that were asked, and how that went.',
      labelNames: ['provider', 'outcome'],
      registers: [register],
    }),
  )
  return (generation) => {
    const { provider = 'none', outcome, latencyMs } = generation
    duration(provider, outcome).observe(generation.durationMs / 1000)
    for (const attempt of generation.attempts) attempts(attempt.provider, attempt.outcome).inc()
    if (generation.provider === undefined) return
    if (latencyMs !== undefined) firstToken(provider).observe(latencyMs / 1000)
    tokens(provider, 'prompt').observe(generation.tokens.prompt)
    tokens(provider, 'completion').observe(generation.tokens.completion)
    cost(provider).observe(toUsd(generation.cost))
  }
}

/** Finding a series by its labels costs more than counting. */
function series<Child>(metric: { labels: (...values: string[]) => Child }): (...values: string[]) => Child {
  const known = new Map<string, Child>()
  return (...values) => known.getOrInsertComputed(values.join(' '), () => metric.labels(...values))
}

import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { SketchName } from '../rollups/cell.ts'
import { type Group, type Percent, percents } from './group.ts'
import type { SumName } from './sums.ts'

export type Metric = {
  label: string
  format: 'number' | 'currency' | 'percent' | 'latency' | 'throughput'
  isRate: boolean
  description: string
  sums: readonly SumName[]
  sketches: readonly SketchName[]
  /** Computes the value for a group; null without data. */
  compute: (group: Group) => number | null
}

const count = (label: string, name: SumName, description: string): Metric => ({
  label,
  format: 'number',
  isRate: false,
  description,
  sums: [name],
  sketches: [],
  compute: (group) => Number(group.sum(name)),
})

const money = (label: string, names: readonly SumName[], description: string): Metric => ({
  label,
  format: 'currency',
  isRate: false,
  description: `${description} In USD.`,
  sums: names,
  sketches: [],
  compute: (group) => toUsd(names.reduce((total: PicoUsd, name) => total + group.sum(name), 0n)),
})

const share = (
  label: string,
  part: SumName,
  total: SumName,
  subtracted: readonly SumName[],
  description: string,
): Metric => ({
  label,
  format: 'percent',
  isRate: true,
  description: `${description} From 0 to 1.`,
  sums: [part, total, ...subtracted],
  sketches: [],
  compute(group) {
    const whole = subtracted.reduce((difference, name) => difference - group.sum(name), group.sum(total))
    return whole > 0n ? Number(group.sum(part)) / Number(whole) : null
  },
})

/** Creates a metric for each percentile, with names such as `latency_p95`. */
function percentiles<Name extends string>(
  name: Name,
  label: string,
  sketch: SketchName,
  format: 'latency' | 'throughput',
  description: string,
) {
  const metrics = percents.map((percent): [string, Metric] => [
    `${name}_p${percent}`,
    {
      label: `${label} p${percent}`,
      format,
      isRate: true,
      description,
      sums: [],
      sketches: [sketch],
      // Percentiles of speeds are reversed: the p99 is the slowest of a hundred.
      compute: (group) => rounded(group.percentile(sketch, percent)),
    },
  ])
  return Object.fromEntries(metrics) as Record<`${Name}_p${Percent}`, Metric>
}

/** Caches rounded values. Sketches have only about 1,500 values, which reports repeat. */
const roundedValues = new Map<number, number>()

const rounded = (value: number | undefined) =>
  value === undefined ? null : roundedValues.getOrInsertComputed(value, () => Number(value.toPrecision(4)))

/** All metrics by name. */
export const metrics = {
  request_count: count('Requests', 'requests', 'All metered requests, including refused and failed ones.'),
  answered_count: count('Answered requests', 'answered', 'Requests that an endpoint answered, as in `GET /activity`.'),
  error_count: count('Failed requests', 'failed', 'Requests without a complete answer.'),
  refused_count: count('Refused requests', 'refused', 'Requests for which no endpoint was called.'),
  cancelled_count: count('Cancelled requests', 'cancelled', 'Requests whose client disconnected.'),
  error_rate: share(
    'Error rate',
    'failed',
    'requests',
    ['refused'],
    'Share of failed requests among those that were not refused.',
  ),
  refusal_rate: share('Refusal rate', 'refused', 'requests', [], 'Share of refused requests among all.'),
  tokens_total: {
    ...count('Tokens', 'prompt', 'Prompt and completion.'),
    sums: ['prompt', 'completion'],
    compute: (group) => Number(group.sum('prompt') + group.sum('completion')),
  },
  tokens_prompt: count('Prompt tokens', 'prompt', 'Including tokens from the provider’s cache.'),
  tokens_completion: count('Completion tokens', 'completion', 'Including reasoning tokens.'),
  tokens_reasoning: count('Reasoning tokens', 'reasoning', 'Part of the completion.'),
  tokens_cached: count('Cached tokens', 'cached', 'Part of the prompt, read from the provider’s cache.'),
  tokens_cache_written: count('Tokens written to caches', 'cacheWritten', 'Part of the prompt.'),
  cache_hit_rate: share('Cache hit rate', 'cached', 'prompt', [], 'Share of cached tokens among prompt tokens.'),
  tool_call_count: count('Tool calls', 'toolCalls', 'Tool calls that models made.'),
  total_usage: money('Usage', ['cost'], 'With this service’s own provider credentials.'),
  byok_usage: money('Usage on own provider keys', ['byokCost'], 'With the workspaces’ own provider keys.'),
  upstream_inference_cost: money('Cost', ['cost', 'byokCost'], 'Both.'),
  unconfirmed_usd: money(
    'Charged without proof',
    ['margin'],
    'Charged to limits in addition to the cost, because no provider reported what it billed.',
  ),
  charged_usd: money(
    'Charged to limits',
    ['cost', 'byokCost', 'margin'],
    'The cost with any credential, and the charges without proof.',
  ),
  cache_saving: money('Saved by caches', ['saving'], 'The additional cost without the providers’ caches.'),
  ...percentiles('latency', 'First token', 'latency', 'latency', 'Milliseconds to the first token.'),
  ...percentiles('generation_time', 'Total time', 'duration', 'latency', 'Milliseconds to the end.'),
  ...percentiles('throughput', 'Throughput', 'throughput', 'throughput', 'Tokens a second after the first.'),
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof metrics
export const metricNames = Object.keys(metrics) as MetricName[]

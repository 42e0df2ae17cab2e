import { toUsd } from '#platform/core/pico-usd.ts'
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

/** The sum of the named amounts of a group. */
const total = (group: Group, names: readonly SumName[]): bigint =>
  names.reduce((sum, name) => sum + group.sum(name), 0n)

const countMetric = (label: string, names: readonly SumName[], description: string): Metric => ({
  label,
  format: 'number',
  isRate: false,
  description,
  sums: names,
  sketches: [],
  compute: (group) => Number(total(group, names)),
})

const moneyMetric = (label: string, names: readonly SumName[], description: string): Metric => ({
  label,
  format: 'currency',
  isRate: false,
  description: `${description} In USD.`,
  sums: names,
  sketches: [],
  compute: (group) => toUsd(total(group, names)),
})

/** The share of `part` in `whole`, without what `excluding` counts. */
type Share = { part: SumName; whole: SumName; excluding?: readonly SumName[] }

const shareMetric = (label: string, { part, whole, excluding = [] }: Share, description: string): Metric => ({
  label,
  format: 'percent',
  isRate: true,
  description: `${description} From 0 to 1.`,
  sums: [part, whole, ...excluding],
  sketches: [],
  compute(group) {
    const counted = group.sum(whole) - total(group, excluding)
    return counted > 0n ? Number(group.sum(part)) / Number(counted) : null
  },
})

/** Creates a metric for each percentile, with names such as `latency_p95`. */
function percentileMetrics<Name extends string>(
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
      // Not reversed for speeds: the p99 of a throughput is one of the highest.
      compute: (group) => roundToFourDigits(group.percentile(sketch, percent)),
    },
  ])
  return Object.fromEntries(metrics) as Record<`${Name}_p${Percent}`, Metric>
}

/** Caches rounded values. Sketches have only about 1,500 values, which reports repeat. */
const roundedValues = new Map<number, number>()

const roundToFourDigits = (value: number | undefined) =>
  value === undefined ? null : roundedValues.getOrInsertComputed(value, () => Number(value.toPrecision(4)))

/** All metrics by name. */
export const metrics = {
  request_count: countMetric('Requests', ['requests'], 'All metered requests, including refused and failed ones.'),
  answered_count: countMetric(
    'Answered requests',
    ['answered'],
    'Requests that an endpoint answered, as in `GET /activity`.',
  ),
  error_count: countMetric('Failed requests', ['failed'], 'Requests without a complete response.'),
  refused_count: countMetric('Refused requests', ['refused'], 'Requests for which no endpoint was called.'),
  cancelled_count: countMetric('Cancelled requests', ['cancelled'], 'Requests whose client disconnected.'),
  error_rate: shareMetric(
    'Error rate',
    { part: 'failed', whole: 'requests', excluding: ['refused'] },
    'Share of failed requests among those that were not refused.',
  ),
  refusal_rate: shareMetric(
    'Refusal rate',
    { part: 'refused', whole: 'requests' },
    'Share of refused requests among all.',
  ),
  tokens_total: countMetric('Tokens', ['prompt', 'completion'], 'Prompt and completion.'),
  tokens_prompt: countMetric('Prompt tokens', ['prompt'], 'Including tokens from the provider’s cache.'),
  tokens_completion: countMetric('Completion tokens', ['completion'], 'Including reasoning tokens.'),
  tokens_reasoning: countMetric('Reasoning tokens', ['reasoning'], 'Part of the completion.'),
  tokens_cached: countMetric('Cached tokens', ['cached'], 'Part of the prompt, read from the provider’s cache.'),
  tokens_cache_written: countMetric('Tokens written to caches', ['cacheWritten'], 'Part of the prompt.'),
  cache_hit_rate: shareMetric(
    'Cache hit rate',
    { part: 'cached', whole: 'prompt' },
    'Share of cached tokens among prompt tokens.',
  ),
  tool_call_count: countMetric('Tool calls', ['toolCalls'], 'Tool calls that models made.'),
  total_usage: moneyMetric('Usage', ['cost'], 'With this service’s own provider credentials.'),
  byok_usage: moneyMetric('Usage on own provider keys', ['byokCost'], 'With the workspaces’ own provider keys.'),
  upstream_inference_cost: moneyMetric('Cost', ['cost', 'byokCost'], 'With any provider credential.'),
  unconfirmed_usd: moneyMetric(
    'Charged without proof',
    ['margin'],
    'Charged to limits in addition to the cost, because no provider reported what it billed.',
  ),
  charged_usd: moneyMetric(
    'Charged to limits',
    ['cost', 'byokCost', 'margin'],
    'The cost with any credential, and the charges without proof.',
  ),
  cache_saving: moneyMetric('Saved by caches', ['saving'], 'The additional cost without the providers’ caches.'),
  ...percentileMetrics('latency', 'First token', 'latency', 'latency', 'Milliseconds to the first token.'),
  ...percentileMetrics('generation_time', 'Total time', 'duration', 'latency', 'Milliseconds to the end.'),
  ...percentileMetrics('throughput', 'Throughput', 'throughput', 'throughput', 'Tokens a second after the first.'),
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof metrics
export const metricNames = Object.keys(metrics) as MetricName[]

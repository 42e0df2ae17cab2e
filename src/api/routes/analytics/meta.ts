import { z } from '#platform/json/schema.ts'
import { dimensions, operators } from '#spend/analytics/dimensions.ts'
import { type Metric, metrics } from '#spend/analytics/metrics.ts'
import { route } from '../route.ts'
import { granularities } from './body.ts'

const NamedItem = z.object({ name: z.string(), display_label: z.string() })

export const getAnalyticsMeta = route({
  method: 'get',
  path: '/analytics/meta',
  tag: 'usage',
  key: 'any',
  summary: 'List the metrics and dimensions of POST /analytics/query',
  description: 'Lists metrics, dimensions, filter operators and granularities, each with a display label.',
  response: z.object({
    data: z
      .object({
        metrics: z.array(
          NamedItem.extend({
            display_format: z
              .enum(['number', 'currency', 'percent', 'latency', 'throughput'])
              .describe(
                'Percentages are shares from 0 to 1, latencies are in milliseconds, throughput is in tokens per second.',
              ),
            is_rate: z.boolean().describe('Whether values of the metric must not be summed.'),
            description: z.string(),
          }),
        ),
        dimensions: z.array(NamedItem),
        operators: z.array(z.object({ name: z.string(), value_type: z.enum(['scalar', 'array']) })),
        granularities: z.array(NamedItem),
      })
      .meta({ id: 'AnalyticsMeta' }),
  }),
  faults: ['unauthenticated'],
  handler: () => ({ data: meta }),
})

const meta = {
  metrics: Object.entries<Metric>(metrics).map(([name, { label, format, isRate, description }]) => ({
    name,
    display_label: label,
    display_format: format,
    is_rate: isRate,
    description,
  })),
  dimensions: Object.entries(dimensions).map(([name, { label }]) => ({ name, display_label: label })),
  operators: Object.entries(operators).map(([name, type]) => ({ name, value_type: type })),
  granularities: granularities.map((name) => ({ name, display_label: name.charAt(0).toUpperCase() + name.slice(1) })),
}

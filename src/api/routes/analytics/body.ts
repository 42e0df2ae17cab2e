import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { dimensionNames, operators } from '#spend/analytics/dimensions.ts'
import { metricNames } from '#spend/analytics/metrics.ts'
import { maxGroups } from '#spend/analytics/query.ts'

export const granularities = ['minute', 'hour', 'day', 'week', 'month'] as const

const scalar = z.union([z.string().max(500), z.number()])

const Filter = strictFields({
  field: z.enum(dimensionNames),
  operator: z.enum(Object.keys(operators) as (keyof typeof operators)[]),
  value: z
    .union([scalar, z.array(scalar).max(1000)])
    .describe('A value for `eq` and `neq`, a list for `in` and `not_in`.'),
  include_unset: z
    .boolean()
    .optional()
    .describe('For `in` and `not_in`: also match requests without a value, such as requests without a preset.'),
})

/** A time in the request, in the format of OpenRouter's clients. */
const Moment = z.iso.datetime({ error: 'expected a UTC instant with seconds, such as 2030-01-31T00:00:00Z' })

const OrderBy = strictFields({
  field: z
    .enum([...metricNames, ...dimensionNames, 'date'])
    .describe('A requested metric or dimension, `request_count`, or `date`.'),
  direction: z.enum(['asc', 'desc']),
})

export const AnalyticsQueryBody = strictFields({
  metrics: z.array(z.enum(metricNames)).min(1).max(metricNames.length).describe('The metrics to compute.'),
  dimensions: z
    .array(z.enum(dimensionNames))
    .max(dimensionNames.length)
    .default([])
    .describe('The dimensions to group by.'),
  granularity: z
    .enum(granularities)
    .optional()
    .describe(
      'The length of the buckets. Without it, the whole time range is one bucket. Minutes are stored for two days.',
    ),
  time_range: strictFields({ start: Moment, end: Moment })
    .optional()
    .describe(
      'The time range, with `end` exclusive, in whole minutes. Defaults to the last 30 days, or to the last day for minutes.',
    ),
  filters: z.array(Filter).max(20).default([]).describe('All conditions must match.'),
  order_by: OrderBy.optional().describe('The metric or dimension that sorts the rows, and the direction.'),
  limit: z
    .int()
    .min(1)
    .max(maxGroups)
    .optional()
    .describe('Maximum number of rows. Defaults to 1,000, or to 200,000 for a time series.'),
  group_limit: z
    .int()
    .min(1)
    .max(maxGroups)
    .optional()
    .describe('Maximum number of rows for each combination of dimensions.'),
}).meta({ id: 'AnalyticsQuery' })
export type AnalyticsQueryBody = z.infer<typeof AnalyticsQueryBody>

import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { dimensionNames, operators } from '#spend/analytics/dimensions.ts'
import { metricNames } from '#spend/analytics/metrics.ts'

export const granularities = ['minute', 'hour', 'day', 'week', 'month'] as const

const scalar = z.union([z.string().max(500), z.number()])

const Filter = strictFields({
  field: z.enum(dimensionNames),
  operator: z.enum(Object.keys(operators) as (keyof typeof operators)[]),
  value: z
    .union([scalar, z.array(scalar).max(1000)])
    .describe('One value for `eq` and `neq`, a list for `in` and `not_in`.'),
  include_unset: z
    .boolean()
    .optional()
    .describe('With `in` and `not_in`: also what has no value, such as requests without a preset.'),
})

/** A moment of the time that is asked for, as clients of OpenRouter write it. */
const Moment = z.iso.datetime({ error: 'expected a UTC instant with seconds, such as 2030-01-31T00:00:00Z' })

const OrderBy = strictFields({
  field: z
    .enum([...metricNames, ...dimensionNames, 'date'])
    .describe('A metric or a dimension that is asked for, `request_count`, or `date`.'),
  direction: z.enum(['asc', 'desc']),
})

export const AnalyticsQueryBody = strictFields({
  metrics: z.array(z.enum(metricNames)).min(1).max(metricNames.length).describe('What to add up.'),
  dimensions: z.array(z.enum(dimensionNames)).max(dimensionNames.length).default([]).describe('What to tell apart.'),
  granularity: z
    .enum(granularities)
    .optional()
    .describe('By which length of time; without, the whole time is one. Minutes are kept for two days.'),
  time_range: strictFields({ start: Moment, end: Moment })
    .optional()
    .describe(
      'From `start` to before `end`; the last 30 days unless told, or the last one by minute. Whole minutes count.',
    ),
  filters: z.array(Filter).max(20).default([]).describe('All of them must hold.'),
  order_by: OrderBy.optional(),
  limit: z
    .int()
    .min(1)
    .max(200_000)
    .optional()
    .describe('The most rows; 1,000 unless told, for a time series 200,000.'),
  group_limit: z.int().min(1).max(200_000).optional().describe('The most rows of each combination of dimensions.'),
}).meta({ id: 'AnalyticsQuery' })
export type AnalyticsQueryBody = z.infer<typeof AnalyticsQueryBody>

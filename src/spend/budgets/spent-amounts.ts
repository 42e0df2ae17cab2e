import { z } from '#platform/json/schema.ts'

/** The amounts of a limit or budget in its current period. */
export function spentAmounts(subject: 'limit' | 'budget') {
  return z.object({
    spent_usd: z.number().describe('Spending in the current period, in USD.'),
    unconfirmed_usd: z
      .number()
      .describe(
        'Charged in the current period in addition to `spent_usd`, because no provider reported what it billed, in USD.',
      ),
    held_usd: z
      .number()
      .describe(
        'Reserved by servers for requests in flight and the next requests, in USD. The unspent part is released.',
      ),
    forecast_usd: z
      .number()
      .nullable()
      .describe(
        `Expected spending at the end of the period, in USD; null for a ${subject} that never resets or has just reset.`,
      ),
  })
}

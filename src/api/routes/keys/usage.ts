import { z } from 'zod'

const Usd = z.number().describe('In USD.')

/** The spending of a key: on this service's own provider credentials, and on the caller's (`byok`). */
export const KeyUsage = z.object({
  usage: Usd,
  usage_daily: Usd,
  usage_weekly: Usd,
  usage_monthly: Usd,
  byok_usage: Usd,
  byok_usage_daily: Usd,
  byok_usage_weekly: Usd,
  byok_usage_monthly: Usd,
  limit_remaining: z.number().nullable().describe('What is left of the limit now, in USD; null without a limit.'),
})

import { version } from '#platform/core/version.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

const Check = z.object({
  status: z.enum(['ok', 'degraded', 'failed']).describe('`degraded` still answers completions, with a restriction.'),
  message: z.string().optional().describe('The problem and its effect.'),
})

export const getHealthReport = route({
  method: 'get',
  path: '/health/report',
  tag: 'service',
  key: 'none',
  summary: 'Report the state of each part that completions depend on. Always 200. Needs no key.',
  description:
    'For people and monitoring. `status` is what `GET /health/ready` decides by. It is answered from memory, without a query; figures are in the metrics.',
  response: z.object({
    status: z.enum(['ready', 'not_ready']),
    version: z.string(),
    checks: z.object({ process: Check, database: Check, ledger: Check, catalogue: Check }),
  }),
  faults: [],
  handler: (_call, { readiness }) => ({
    status: readiness.problem() === undefined ? ('ready' as const) : ('not_ready' as const),
    version,
    checks: readiness.checks(),
  }),
})

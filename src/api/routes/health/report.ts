import { version } from '#platform/core/version.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

const Check = z.object({
  status: z.enum(['ok', 'degraded', 'failed']).describe('`degraded`: completions are served, with a restriction.'),
  message: z.string().optional().describe('The problem and its effect.'),
})

export const getHealthReport = route({
  method: 'get',
  path: '/health/report',
  tag: 'service',
  key: 'none',
  summary: 'Report the state of each part that completions depend on. Always 200. Needs no key.',
  description:
    'For people and monitoring. `GET /health/ready` depends on `status`. The response comes from memory, without a database query. Figures are in the metrics.',
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

import { route } from '../route.ts'
import { ReadinessResponse, toReadinessResponse } from './readiness-response.ts'

export const getReadiness = route({
  method: 'get',
  path: '/health/ready',
  tag: 'service',
  key: 'none',
  summary: 'Report whether this server can serve completions: 200 or 503. Needs no key.',
  description:
    'For load balancers and readiness probes. Returns 503 from the start of a drain, and while too many metered requests wait to be written. Also while the database is unreachable and cached keys are no longer accepted (`stale_keys_ms`). The response comes from memory, without a database query.',
  response: ReadinessResponse,
  faults: ['unavailable'],
  handler: (_call, { readiness }) => toReadinessResponse(readiness),
})

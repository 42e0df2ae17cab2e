import { route } from '../route.ts'
import { ReadinessResponse, toReadinessResponse } from './readiness-response.ts'

export const getHealth = route({
  method: 'get',
  path: '/health',
  tag: 'service',
  key: 'none',
  summary: 'Report readiness, like GET /health/ready. Needs no key.',
  description: 'For load balancers. The response comes from memory, without a database query.',
  response: ReadinessResponse,
  faults: ['unavailable'],
  handler: (_call, { readiness }) => toReadinessResponse(readiness),
})

import { route } from '../route.ts'
import { ReadinessAnswer, readinessAnswer } from './readiness-answer.ts'

export const getHealth = route({
  method: 'get',
  path: '/health',
  tag: 'service',
  key: 'none',
  summary: 'Report readiness, like GET /health/ready. Needs no key.',
  description: 'For load balancers. The answer comes from memory, without a database query.',
  response: ReadinessAnswer,
  faults: ['unavailable'],
  handler: (_call, { readiness }) => readinessAnswer(readiness),
})

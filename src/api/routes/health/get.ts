import { route } from '../route.ts'
import { ReadinessAnswer, readinessAnswer } from './readiness-answer.ts'

export const getHealth = route({
  method: 'get',
  path: '/health',
  tag: 'service',
  key: 'none',
  summary: 'Report readiness, as GET /health/ready does. Needs no key.',
  description: 'For load balancers. It is answered from memory, without a query.',
  response: ReadinessAnswer,
  faults: ['unavailable'],
  handler: (_call, { readiness }) => readinessAnswer(readiness),
})

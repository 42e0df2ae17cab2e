import { version } from '#platform/core/version.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const getLiveness = route({
  method: 'get',
  path: '/health/live',
  tag: 'service',
  key: 'none',
  summary: 'Report that the process is alive: always 200. Needs no key.',
  description:
    'For supervisors and liveness probes, which restart a process that does not respond. The response does not depend on the database, because a restart would not repair a database.',
  response: z.object({ status: z.literal('live'), version: z.string() }),
  faults: [],
  handler: () => ({ status: 'live' as const, version }),
})

import { suspendIntern } from '#interns/lifecycle/change-intern.ts'
import { z } from '#platform/json/schema.ts'
import { waitUntilStopped } from '../../interns/wait-until-stopped.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

export const suspendInternRoute = route({
  method: 'post',
  path: '/interns/{internId}/suspend',
  tag: 'interns',
  key: 'api',
  summary: 'Stop an intern and keep its files and sessions',
  description: 'Ends its processes and keeps its data. A later start continues from there.',
  request: { params: InternParams, body: NoBody },
  response: z.object({ suspended: z.literal(true) }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'unavailable'],
  handler: async ({ params, caller }, deps) => {
    await waitUntilStopped(deps, await suspendIntern(deps, caller, params.internId))
    return { suspended: true as const }
  },
})

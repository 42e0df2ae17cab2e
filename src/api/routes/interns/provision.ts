import { provisionIntern } from '#interns/lifecycle/change-intern.ts'
import { z } from '#platform/json/schema.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

export const provisionInternRoute = route({
  method: 'post',
  path: '/interns/{internId}/provision',
  tag: 'interns',
  key: 'api',
  summary: 'Start an intern',
  description: 'Returns immediately. The intern is ready when `GET /interns/{internId}` returns the status `running`.',
  request: { params: InternParams, body: NoBody },
  status: 202,
  response: z.object({ provisioning: z.literal(true) }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'unavailable'],
  handler: async ({ params, caller }, deps) => {
    await provisionIntern(deps, caller, params.internId)
    return { provisioning: true as const }
  },
})

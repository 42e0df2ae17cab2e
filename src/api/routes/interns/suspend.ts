import { z } from 'zod'
import { suspendIntern } from '#interns/change.ts'
import { route } from '../../route.ts'
import { NoBody } from './no-body.ts'
import { InternPath } from './path.ts'

export const suspendOneIntern = route({
  method: 'post',
  path: '/interns/{internId}/suspend',
  tag: 'interns',
  key: 'api',
  summary: 'Stop an intern; its files and sessions stay',
  request: { params: InternPath, body: NoBody },
  response: z.object({ suspended: z.literal(true) }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deps.provisioner.stop(await suspendIntern(deps, caller, params.internId))
    return { suspended: true as const }
  },
})

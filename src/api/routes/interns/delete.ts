import { deleteIntern } from '#interns/lifecycle/change.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { InternPath } from './path.ts'

const DeleteBody = z.strictObject({ acknowledge_workspace_loss: z.boolean().optional() }).optional()

export const deleteOneIntern = route({
  method: 'delete',
  path: '/interns/{internId}',
  tag: 'interns',
  key: 'api',
  summary: 'Take an intern down, with its workspace and sessions',
  description:
    'It is stopped, and its workspace, its sessions and its history are removed. This cannot be undone. Only its creator may, or, once they have left, whoever sees it.',
  request: { params: InternPath, body: DeleteBody },
  status: 202,
  response: z.object({ deleting: z.literal(true) }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteIntern(deps, caller, params.internId)
    return { deleting: true as const }
  },
})

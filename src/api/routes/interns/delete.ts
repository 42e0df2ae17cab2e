import { deleteIntern } from '#interns/lifecycle/change-intern.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { internEntity } from '../entities.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

const DeleteBody = strictFields({
  acknowledge_workspace_loss: z
    .boolean()
    .optional()
    .describe('Accepted for compatibility; has no effect. An intern on a lost host is deleted with or without it.'),
}).optional()

export const deleteInternRoute = route({
  method: 'delete',
  path: '/interns/{internId}',
  tag: 'interns',
  key: 'api',
  summary: 'Delete an intern with its workspace and sessions',
  description:
    'Stops the intern, and deletes its workspace, sessions and history. This cannot be undone. Only the creator of the intern can do this. After the creator has left, everyone who can see the intern can do it.',
  request: { params: InternParams, body: DeleteBody },
  status: 202,
  response: z.object({ deleting: z.literal(true) }),
  ifMatch: internEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteIntern(deps, caller, params.internId)
    return { deleting: true as const }
  },
})

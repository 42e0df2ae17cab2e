import { moveIntern } from '#interns/lifecycle/relocate-intern.ts'
import { InternResponse } from '#interns/registry/intern.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { toInternResponse } from '../../interns/intern-response.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

const Move = strictFields({
  host: z.string().min(1).max(100).describe('The name of the new host, which has the files of the intern.'),
}).meta({ id: 'InternMove' })

export const moveInternRoute = route({
  method: 'post',
  path: '/interns/{internId}/move',
  tag: 'interns',
  key: 'api',
  summary: 'Move an intern to another host',
  description:
    'The intern must be stopped, or its host lost. An intern that was in service is started on the new host. The service does not move files: first copy its folder to the data folder of the new host. The intern gets a new key. Only the creator of the intern can do this. After the creator has left, everyone who can see the intern can do it.',
  request: { params: InternParams, body: Move },
  response: InternResponse,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'payload_too_large'],
  handler: async ({ params, body, caller }, deps) =>
    toInternResponse(deps, await moveIntern(deps, caller, params.internId, body.host)),
})

import { updateIntern } from '#interns/lifecycle/change-intern.ts'
import { InternPatch, InternResponse } from '#interns/registry/intern.ts'
import { findIntern } from '#interns/registry/intern-store.ts'
import { requireRepository } from '../../interns/intern-repository.ts'
import { toInternResponse } from '../../interns/intern-response.ts'
import { requireModel } from '../../interns/require-agent.ts'
import { internEntity } from '../entities.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

export const updateInternRoute = route({
  method: 'patch',
  path: '/interns/{internId}',
  tag: 'interns',
  key: 'api',
  summary: 'Update an intern; changes take effect at its next start',
  description:
    'Missing fields stay unchanged. Only the creator of the intern can do this. After the creator has left, everyone who can see the intern can do it.',
  request: { params: InternParams, body: InternPatch },
  response: InternResponse,
  etag: internEntity,
  ifMatch: internEntity,
  faults: [
    'invalid',
    'unauthenticated',
    'forbidden',
    'not_found',
    'conflict',
    'payload_too_large',
    'unsupported_media_type',
  ],
  bodyLimit: 1024 * 1024,
  handler: async ({ params, body, caller }, deps) => {
    const { agent } = await findIntern(deps, caller, params.internId)
    requireModel(deps.catalogue.current(), { agent, model: body.model })
    requireRepository(deps, body.repository)
    return toInternResponse(deps, await updateIntern(deps, caller, params.internId, body))
  },
})

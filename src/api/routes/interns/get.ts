import { InternResponse } from '#interns/registry/intern.ts'
import { findIntern } from '#interns/registry/intern-store.ts'
import { toInternResponse } from '../../interns/intern-response.ts'
import { internEntity } from '../entities.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

export const getIntern = route({
  method: 'get',
  path: '/interns/{internId}',
  tag: 'interns',
  key: 'api',
  summary: 'Get an intern',
  description: 'Returns the configuration and the state of the intern.',
  request: { params: InternParams },
  response: InternResponse,
  etag: internEntity,
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params, caller }, deps) => toInternResponse(deps, await findIntern(deps, caller, params.internId)),
})

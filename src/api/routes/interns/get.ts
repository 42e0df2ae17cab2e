import { internAnswer } from '#api/intern-answer.ts'
import { InternRecord } from '#interns/intern.ts'
import { findIntern } from '#interns/store.ts'
import { route } from '../../route.ts'
import { InternPath } from './path.ts'

export const getIntern = route({
  method: 'get',
  path: '/interns/{internId}',
  tag: 'interns',
  key: 'api',
  summary: 'One intern',
  description: 'How it is set up and in which state it is.',
  request: { params: InternPath },
  response: InternRecord,
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params, caller }, deps) => internAnswer(deps, await findIntern(deps, caller, params.internId)),
})

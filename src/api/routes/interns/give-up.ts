import { giveUpIntern } from '#interns/lifecycle/relocate-intern.ts'
import { InternResponse } from '#interns/registry/intern.ts'
import { toInternResponse } from '../../interns/intern-response.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

export const giveUpInternRoute = route({
  method: 'post',
  path: '/interns/{internId}/give-up',
  tag: 'interns',
  key: 'api',
  summary: 'Give up the files of an intern on a lost host',
  description:
    'Stops the intern and detaches it from its host. At its next start it gets an empty workspace on any host with capacity. If its host returns, processes of the intern there are ended, and its files stay there. Only the creator of the intern can do this. After the creator has left, everyone who can see the intern can do it.',
  request: { params: InternParams, body: NoBody },
  response: InternResponse,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) =>
    toInternResponse(deps, await giveUpIntern(deps, caller, params.internId)),
})

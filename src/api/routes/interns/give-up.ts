import { giveUpIntern } from '#interns/lifecycle/relocate.ts'
import { InternRecord } from '#interns/registry/intern.ts'
import { internAnswer } from '../../interns/intern-answer.ts'
import { route } from '../route.ts'
import { NoBody } from './no-body.ts'
import { InternPath } from './path.ts'

export const giveUpOneIntern = route({
  method: 'post',
  path: '/interns/{internId}/give-up',
  tag: 'interns',
  key: 'api',
  summary: 'Give up the files of an intern whose host is gone',
  description:
    'It is stopped and has no host: started again, it begins with an empty workspace where there is room. If its host comes back, what still runs of it there is ended, and its files are left there. Only its creator may, or, once they have left, whoever sees it.',
  request: { params: InternPath, body: NoBody },
  response: InternRecord,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => internAnswer(deps, await giveUpIntern(deps, caller, params.internId)),
})

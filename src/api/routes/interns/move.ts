import { moveIntern } from '#interns/lifecycle/relocate.ts'
import { InternRecord } from '#interns/registry/intern.ts'
import { z } from '#platform/json/schema.ts'
import { internAnswer } from '../../interns/intern-answer.ts'
import { route } from '../route.ts'
import { InternPath } from './path.ts'

const Move = z
  .strictObject({ host: z.string().min(1).max(100).describe('The name of the host on which its files are now.') })
  .meta({ id: 'InternMove' })

export const moveOneIntern = route({
  method: 'post',
  path: '/interns/{internId}/move',
  tag: 'interns',
  key: 'api',
  summary: 'Let an intern live on another host, where its files are now',
  description:
    'For one that is stopped, or whose host is gone: one that was in service is started there. The service moves no files: put its folder into the data folder of the other host before. Its key is another from then on. Only its creator may, or, once they have left, whoever sees it.',
  request: { params: InternPath, body: Move },
  response: InternRecord,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'payload_too_large'],
  handler: async ({ params, body, caller }, deps) =>
    internAnswer(deps, await moveIntern(deps, caller, params.internId, body.host)),
})

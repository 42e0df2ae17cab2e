import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { fileRoles } from '../../interns/intern-files.ts'
import { internLog } from '../../interns/intern-log.ts'
import { route } from '../route.ts'
import { InternPath } from './path.ts'

const InternLog = z
  .object({
    lines: z.array(z.string()).describe('The newest last.'),
    has_more: z.boolean().describe('Whether there is more before them.'),
    message: z.string().nullable().describe('Why there is no log, where there is none.'),
  })
  .meta({ id: 'InternLog', description: 'The end of what an intern’s daemon has said.' })

export const getInternLog = route({
  method: 'get',
  path: '/interns/{internId}/log',
  tag: 'interns',
  key: 'api',
  roles: fileRoles,
  summary: 'The end of the log of an intern’s daemon',
  description:
    'How it started, its agent and the servers of tools that did not, what went wrong: for who may start and stop it. It begins anew with each start, and is read whether the intern runs or not, also where it lives on another host; in pods it goes with the pod. Secrets of the intern that stand in it are shown as `[secret]`.',
  request: {
    params: InternPath,
    query: z.object({
      lines: wholeNumber({ min: 1, max: 5000 }).default(200).describe('At most so many.'),
      bytes: wholeNumber({ min: 1024, max: 262_144 })
        .default(65_536)
        .describe('At most so many bytes, in whole lines; of a line that alone is longer its end.'),
    }),
  },
  response: z.object({ data: InternLog }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'bad_gateway', 'unavailable'],
  handler: async ({ params, query, caller, host }, deps) => ({
    data: await internLog(deps, { caller, host }, { ...params, ...query }),
  }),
})

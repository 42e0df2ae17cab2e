import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { storageRoles } from '../../interns/intern-files.ts'
import { internLog } from '../../interns/intern-log.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

const InternLog = z
  .object({
    lines: z.array(z.string()).describe('Sorted oldest first.'),
    has_more: z.boolean().describe('Whether the log has earlier lines.'),
    message: z.string().nullable().describe('The reason for a missing log, otherwise null.'),
  })
  .meta({ id: 'InternLog', description: 'The last lines of the log of an intern’s daemon.' })

export const getInternLog = route({
  method: 'get',
  path: '/interns/{internId}/log',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'Get the last lines of the log of an intern’s daemon',
  description:
    'Contains the start of the intern, and errors of its agent and MCP servers. Available to members who can start and stop the intern, whether it runs or not, and on any host. Each start replaces the log. In Kubernetes, the log is deleted with the pod. Secrets of the intern are replaced by `[secret]`.',
  request: {
    params: InternParams,
    query: z.object({
      lines: wholeNumber({ min: 1, max: 5000 }).default(200).describe('Maximum number of lines.'),
      bytes: wholeNumber({ min: 1024, max: 262_144 })
        .default(65_536)
        .describe('Maximum number of bytes, in complete lines. Of a longer single line, the end is returned.'),
    }),
  },
  response: z.object({ data: InternLog }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'bad_gateway', 'unavailable'],
  handler: async ({ params, query, caller, host }, deps) => ({
    data: await internLog(deps, { caller, host }, { ...params, ...query }),
  }),
})

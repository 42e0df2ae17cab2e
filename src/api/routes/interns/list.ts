import { isOwnWorkspace } from '#identity/accounts/workspaces.ts'
import { InternResponse, internStatuses } from '#interns/registry/intern.ts'
import { listInterns } from '#interns/registry/intern-store.ts'
import { listParameter } from '#platform/json/list-parameter.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { toInternResponses } from '../../interns/intern-response.ts'
import { route } from '../route.ts'

export const listInternsRoute = route({
  method: 'get',
  path: '/interns',
  tag: 'interns',
  key: 'api',
  summary: 'List the interns of the workspace that you can see, newest first',
  description: 'Lists the interns that the member of the calling key created, and those shared with the workspace.',
  request: {
    query: z.object({
      limit: wholeNumber({ min: 1, max: 500 }).default(100),
      status: listParameter(internStatuses).optional().describe('Comma-separated statuses.'),
      starting_after: z.string().optional().describe('The last ID of the previous page.'),
      workspace_id: z
        .string()
        .optional()
        .describe('The workspace of the calling key. The list is empty for any other.'),
    }),
  },
  response: z.object({ data: z.array(InternResponse), has_more: z.boolean(), next_cursor: z.string().optional() }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ query, caller }, deps) => {
    if (!(await isOwnWorkspace(deps, caller, query.workspace_id))) return { data: [], has_more: false }
    const { interns, hasMore } = await listInterns(deps, caller, {
      limit: query.limit,
      statuses: query.status,
      startingAfter: query.starting_after,
    })
    const last = interns.at(-1)
    const data = await toInternResponses(deps, interns)
    return { data, has_more: hasMore, next_cursor: hasMore ? last?.id : undefined }
  },
})

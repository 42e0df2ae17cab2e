import { findIntern } from '#interns/registry/intern-store.ts'
import { InternRun, runStatuses, toRunItem } from '#interns/runs/run-record.ts'
import { listRuns } from '#interns/runs/run-store.ts'
import { SessionId } from '#interns/turns/chat-request.ts'
import { booleanParameter } from '#platform/json/boolean-parameter.ts'
import { listParameter } from '#platform/json/list-parameter.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { requireRegion } from '../../../interns/intern-region.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'

export const listInternRuns = route({
  method: 'get',
  path: '/interns/{internId}/runs',
  tag: 'interns',
  key: 'api',
  summary: 'List the runs of an intern, newest first',
  description:
    'Lists the runs of all members, in the background or not, also while the intern is stopped. Available to everyone who can see the intern. Runs are stored as long as transcripts.',
  request: {
    params: InternParams,
    query: z.object({
      limit: wholeNumber({ min: 1, max: 500 }).default(100),
      status: listParameter(runStatuses).optional().describe('Comma-separated.'),
      session_id: SessionId.optional(),
      background: booleanParameter('Only runs in the background, or only others.').optional(),
      starting_after: z.string().min(1).max(512).optional().describe('The last ID of the previous page.'),
    }),
  },
  response: z.object({ data: z.array(InternRun), has_more: z.boolean(), next_cursor: z.string().optional() }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, query, caller, host }, deps) => {
    await requireRegion(deps, caller, host)
    const { limit, status, session_id: sessionId, background, starting_after: startingAfter } = query
    const { id } = await findIntern(deps, caller, params.internId)
    const filter = { limit, sessionId, background, startingAfter, statuses: status }
    const { runs, hasMore } = await listRuns(deps, id, filter)
    const last = runs.at(-1)
    return { data: runs.map(toRunItem), has_more: hasMore, next_cursor: hasMore ? last?.id : undefined }
  },
})

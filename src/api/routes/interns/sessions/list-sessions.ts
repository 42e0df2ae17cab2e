import { SessionId } from '#interns/turns/chat-request.ts'
import { InternSession, toSessionItem } from '#interns/turns/entry-item.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { storedTranscripts, translateDaemonErrors } from '../../../interns/intern-transcripts.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'

export const listInternSessions = route({
  method: 'get',
  path: '/interns/{internId}/sessions',
  tag: 'interns',
  key: 'api',
  summary: 'List the sessions of an intern, newest first',
  description: 'Available to everyone who can see the intern, whether it runs or not.',
  request: {
    params: InternParams,
    query: z.object({
      limit: wholeNumber({ min: 1, max: 500 }).default(100),
      starting_after: SessionId.optional().describe('The last ID of the previous page.'),
    }),
  },
  response: z.object({ data: z.array(InternSession), has_more: z.boolean(), next_cursor: z.string().optional() }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'bad_gateway', 'unavailable'],
  handler: async ({ params, query, caller, host, signal }, deps) => {
    const transcripts = await storedTranscripts(deps, { caller, host }, params.internId)
    const { sessions, hasMore } = await translateDaemonErrors(
      transcripts.list({ limit: query.limit, after: query.starting_after }, signal),
    )
    const last = sessions.at(-1)
    return { data: sessions.map(toSessionItem), has_more: hasMore, next_cursor: hasMore ? last?.id : undefined }
  },
})

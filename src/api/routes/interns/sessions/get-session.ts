import { EntryItem, InternSession, toEntryItem, toSessionItem } from '#interns/turns/entry-item.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { AnswererNames } from '../../../interns/answerer-names.ts'
import { sessionNotFound, storedTranscripts, translateDaemonErrors } from '../../../interns/intern-transcripts.ts'
import { route } from '../../route.ts'
import { SessionParams } from '../params.ts'

export const getInternSession = route({
  method: 'get',
  path: '/interns/{internId}/sessions/{sessionId}',
  tag: 'interns',
  key: 'api',
  summary: 'Get the transcript of a session',
  description:
    'Contains prompts, messages, reasoning, tool calls with results, plans, questions with who answered them, and outcomes of runs, in chronological order. A page can have fewer entries than `limit`; `has_more` is false for the last page. Long values are cut and marked.',
  request: {
    params: SessionParams,
    query: z.object({
      limit: wholeNumber({ min: 1, max: 500 }).default(200),
      starting_after: z
        .string()
        .regex(/^\d{1,16}$/)
        .optional()
        .describe('The last ID of the previous page.'),
    }),
  },
  response: z.object({
    data: z.object({ session: InternSession, entries: z.array(EntryItem) }),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'bad_gateway', 'unavailable'],
  handler: async ({ params, query, caller, host, signal }, deps) => {
    const transcripts = await storedTranscripts(deps, { caller, host }, params.internId)
    const range = { limit: query.limit, after: query.starting_after }
    const page = await translateDaemonErrors(transcripts.read(params.sessionId, range, signal))
    if (!page) throw sessionNotFound()
    const names = await new AnswererNames(deps, caller.organizationId).read(page.entries)
    const entries = page.entries.map((entry) => toEntryItem(entry, names))
    return {
      data: { session: toSessionItem(page.session), entries },
      has_more: page.hasMore,
      next_cursor: page.hasMore ? entries.at(-1)?.id : undefined,
    }
  },
})

import { readUserNames } from '#identity/accounts/account-names.ts'
import { listWaitingQuestions, toWaitingCursor, type WaitingQuestion } from '#interns/runs/questions.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { requireRegion } from '../../../interns/intern-region.ts'
import { route } from '../../route.ts'
import { elicitationFields, permissionFields, questionFields, questionItem } from './list-questions.ts'

const waitingFields = {
  intern_id: z.uuid(),
  intern_name: z.string(),
  workspace_id: z.string(),
  creator_user_id: z.string().describe('The owner of the intern.'),
  creator_name: z
    .string()
    .nullable()
    .describe('The name, or the email address without a name; null after the member has left.'),
  ...questionFields,
}

const WaitingQuestionItem = z
  .discriminatedUnion('kind', [
    z
      .object({ ...waitingFields, ...permissionFields })
      .meta({ id: 'WaitingPermission', description: 'A permission question of an intern.' }),
    z
      .object({ ...waitingFields, ...elicitationFields })
      .meta({ id: 'WaitingElicitation', description: 'A question of an intern: the fields of a form.' }),
  ])
  .meta({ id: 'WaitingQuestion', description: 'An open question of one of several interns.' })

export const listQuestions = route({
  method: 'get',
  path: '/interns/questions',
  tag: 'interns',
  key: 'api',
  summary: 'List the open questions of all interns that you can see',
  description:
    'Sorted by deadline. Combines `GET /interns/{internId}/questions` of all running interns of `GET /interns`. `GET /interns/{internId}/questions/{questionId}` returns a permission that is cut here with all details.',
  request: {
    query: z.object({
      limit: wholeNumber({ min: 1, max: 500 }).default(100),
      starting_after: z.string().max(500).optional().describe('The `next_cursor` of the previous page.'),
    }),
  },
  response: z.object({
    data: z.array(WaitingQuestionItem),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ query, caller, host }, deps) => {
    await requireRegion(deps, caller, host)
    const { questions, hasMore } = await listWaitingQuestions(deps, caller, {
      limit: query.limit,
      startingAfter: query.starting_after,
    })
    const creators = questions.map(({ intern }) => intern.creatorUserId)
    const names = await readUserNames(deps.db, caller.organizationId, creators)
    const last = questions.at(-1)
    return {
      data: questions.map((question) => waitingItem(question, names.get(question.intern.creatorUserId))),
      has_more: hasMore,
      next_cursor: hasMore && last ? toWaitingCursor(last) : undefined,
    }
  },
})

const waitingItem = (
  { intern, ...question }: WaitingQuestion,
  creator: { name: string; email: string } | undefined,
) => ({
  intern_id: intern.id,
  intern_name: intern.name,
  workspace_id: intern.workspaceId,
  creator_user_id: intern.creatorUserId,
  creator_name: creator ? creator.name || creator.email : null,
  ...questionItem(question),
})

import { toQuestionArguments } from '#interns/contract/chunks.ts'
import { type AskedQuestion, permissionKinds } from '#interns/contract/question.ts'
import { findIntern } from '#interns/registry/intern-store.ts'
import { findOpenQuestions } from '#interns/runs/questions.ts'
import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import { requireRegion } from '../../../interns/intern-region.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'

export const questionFields = {
  id: z.string().describe('The `tool_call_id` of the answer.'),
  session_id: z.string().describe('The session of the answer.'),
  asked_at: z.iso.datetime(),
  deadline_at: z.iso.datetime().describe('The deadline of the answer. If there is no answer until then, the run ends.'),
}

export const PermissionChoices = z
  .array(z.object({ id: z.string(), kind: z.enum(permissionKinds), name: z.string() }))
  .optional()
  .describe(
    'All options of the agent. The answer can be the `id` or the `kind` of an option. If several options have the same `kind`, it must be the `id`.',
  )

export const permissionFields = {
  kind: z.literal('permission'),
  operation: z.string().nullable(),
  detail: z.string().optional(),
  options: z.array(z.enum(permissionKinds)),
  choices: PermissionChoices,
}

export const elicitationFields = {
  kind: z.literal('elicitation'),
  message: z.string(),
  fields: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      required: z.boolean(),
      options: z.array(z.string()).optional(),
    }),
  ),
}

export const InternQuestion = z
  .discriminatedUnion('kind', [
    z
      .object({ ...questionFields, ...permissionFields })
      .meta({ id: 'InternPermission', description: 'A permission question.' }),
    z
      .object({ ...questionFields, ...elicitationFields })
      .meta({ id: 'InternElicitation', description: 'A form that the intern asks the user to fill in.' }),
  ])
  .meta({ id: 'InternQuestion', description: 'An open question of an intern.' })

export const listInternQuestions = route({
  method: 'get',
  path: '/interns/{internId}/questions',
  tag: 'interns',
  key: 'api',
  summary: 'List the open questions of an intern, oldest first',
  description:
    'Lists the open questions of all sessions. A question whose run has just ended can still be listed; its answer is rejected (409).',
  request: { params: InternParams },
  response: z.object({ data: z.array(InternQuestion) }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller, host }, deps) => {
    await requireRegion(deps, caller, host)
    const { id } = await findIntern(deps, caller, params.internId)
    const questions = await findOpenQuestions(deps, id)
    return { data: questions.map(questionItem) }
  },
})

export const questionItem = ({ question, sessionId, askedAt, deadlineAt }: AskedQuestion) => ({
  id: question.id,
  session_id: sessionId,
  asked_at: isoTime(askedAt),
  deadline_at: isoTime(deadlineAt),
  ...toQuestionArguments(question),
})

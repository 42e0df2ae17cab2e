import { argumentsOf } from '#interns/contract/chunks.ts'
import { type AskedQuestion, permissionKinds } from '#interns/contract/question.ts'
import { findIntern } from '#interns/registry/store.ts'
import { openQuestions } from '#interns/runs/questions.ts'
import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { InternPath } from './path.ts'

export const aboutQuestion = {
  id: z.string().describe('The `tool_call_id` of the answer.'),
  session_id: z.string().describe('The session of the answer.'),
  asked_at: z.iso.datetime(),
  deadline_at: z.iso.datetime().describe('When the run that asked ends without an answer.'),
}

export const permissionChoices = z
  .array(z.object({ id: z.string(), kind: z.enum(permissionKinds), name: z.string() }))
  .optional()
  .describe('All options of the agent. An answer can be the `id` of one, and must be where several are of its `kind`.')

export const permissionAbout = {
  kind: z.literal('permission'),
  operation: z.string().nullable(),
  detail: z.string().optional(),
  options: z.array(z.enum(permissionKinds)),
  choices: permissionChoices,
}

export const elicitationAbout = {
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
      .object({ ...aboutQuestion, ...permissionAbout })
      .meta({ id: 'InternPermission', description: 'Whether it may do something.' }),
    z
      .object({ ...aboutQuestion, ...elicitationAbout })
      .meta({ id: 'InternElicitation', description: 'Something that it wants to know.' }),
  ])
  .meta({ id: 'InternQuestion', description: 'What an intern asked, and waits for an answer to.' })

export const listInternQuestions = route({
  method: 'get',
  path: '/interns/{internId}/questions',
  tag: 'interns',
  key: 'api',
  summary: 'What an intern waits for answers to, the oldest first',
  description:
    'The questions of all its sessions, as the replies that they ended told them. One whose run has ended meanwhile may still be among them: its answer is refused (409).',
  request: { params: InternPath },
  response: z.object({ data: z.array(InternQuestion) }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const { id } = await findIntern(deps, caller, params.internId)
    const open = await openQuestions(deps, id)
    return { data: open.map(questionItem) }
  },
})

export const questionItem = ({ question, sessionId, askedAt, deadlineAt }: AskedQuestion) => ({
  ...{ id: question.id, session_id: sessionId, asked_at: isoTime(askedAt), deadline_at: isoTime(deadlineAt) },
  ...argumentsOf(question),
})

import { permissionKinds, type WholePermission } from '#interns/contract/question.ts'
import type { Runs } from '#interns/contract/runs.ts'
import { findIntern } from '#interns/registry/store.ts'
import { openQuestions } from '#interns/runs/questions.ts'
import { Fault } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import { printableExactly, printableLines } from '#platform/text/printable.ts'
import { asked as answered } from '../../interns/intern-transcripts.ts'
import { route } from '../route.ts'
import { aboutQuestion, InternQuestion, permissionChoices, questionItem } from './list-questions.ts'
import { InternPath } from './path.ts'

const WholeInternPermission = z
  .object({
    ...aboutQuestion,
    kind: z.literal('permission'),
    operation: z.string().nullable(),
    detail: z.string().optional().describe('All of it, on one line, where a question has only a part.'),
    options: z.array(z.enum(permissionKinds)),
    choices: permissionChoices,
    command: z.string().nullable().describe('The command line, on one line.'),
    paths: z.array(z.string()).describe('The files that it is about.'),
    changes: z
      .array(
        z.object({
          path: z.string(),
          diff: z.string().describe('The lines that go and come, each on a line of its own.'),
        }),
      )
      .describe('What would be written.'),
  })
  .meta({ id: 'InternWholePermission', description: 'All that a permission is about, however long.' })

export const getInternQuestion = route({
  method: 'get',
  path: '/interns/{internId}/questions/{questionId}',
  tag: 'interns',
  key: 'api',
  summary: 'All of a question that an intern waits with',
  description:
    'What is too long for a question is cut there, with a mark. Here all of it is told, as long as it waits. What would change how it is shown is escaped, as in the question.',
  request: { params: InternPath.extend({ questionId: z.string().min(1).max(128) }) },
  response: z.object({ data: z.union([WholeInternPermission, InternQuestion]) }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'bad_gateway', 'unavailable'],
  handler: async ({ params, caller }, deps) => {
    const intern = await findIntern(deps, caller, params.internId)
    const asked = (await openQuestions(deps, intern.id)).find(({ question }) => question.id === params.questionId)
    if (!asked) throw new Fault('not_found', 'The intern does not wait for an answer to such a question.')
    const item = questionItem(asked)
    if (asked.question.kind !== 'permission') return { data: item }
    const whole = await wholeOf(deps.provisioner.runs(intern), asked.question.id)
    const { detail, command, paths, changes } = whole
    return {
      data: {
        ...(item as Extract<typeof item, { kind: 'permission' }>),
        ...(detail !== null && { detail: printableExactly(detail) }),
        command: command === null ? null : printableExactly(command),
        paths: paths.map(printableExactly),
        changes: changes.map(({ path, diff }) => ({ path: printableExactly(path), diff: printableLines(diff) })),
      },
    }
  },
})

async function wholeOf(runs: Runs, id: string): Promise<WholePermission> {
  const whole = await answered(runs.question(id))
  if (whole) return whole
  throw new Fault('conflict', 'This question is no longer waiting for an answer.')
}

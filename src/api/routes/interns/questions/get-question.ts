import type { DaemonApi } from '#interns/contract/daemon-api.ts'
import { type PermissionDetails, permissionKinds } from '#interns/contract/question.ts'
import { findIntern } from '#interns/registry/intern-store.ts'
import { findOpenQuestions } from '#interns/runs/questions.ts'
import { Fault } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import { escapeLinesUnambiguously, escapeUnambiguously } from '#platform/text/printable.ts'
import { requireRegion } from '../../../interns/intern-region.ts'
import { translateDaemonErrors } from '../../../interns/intern-transcripts.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'
import { InternQuestion, PermissionChoices, questionFields, questionItem } from './list-questions.ts'

const WholeInternPermission = z
  .object({
    ...questionFields,
    kind: z.literal('permission'),
    operation: z.string().nullable(),
    detail: z.string().optional().describe('The complete text on one line. The question itself can have only a part.'),
    options: z.array(z.enum(permissionKinds)),
    choices: PermissionChoices,
    command: z.string().nullable().describe('The command on one line.'),
    folder: z.string().nullable().describe('The working folder of the command, if it is not the workspace.'),
    paths: z.array(z.string()).describe('The files that the operation affects.'),
    changes: z
      .array(
        z.object({
          path: z.string(),
          diff: z.string().describe('The removed and added lines.'),
        }),
      )
      .describe('The changed files.'),
  })
  .meta({ id: 'InternWholePermission', description: 'All details of a permission request, without a length limit.' })

export const getInternQuestion = route({
  method: 'get',
  path: '/interns/{internId}/questions/{questionId}',
  tag: 'interns',
  key: 'api',
  summary: 'Get an open question of an intern with all details',
  description:
    'Long values are cut and marked in the list of questions. This route returns them completely while the question is open. Control characters are escaped, as in the list.',
  request: { params: InternParams.extend({ questionId: z.string().min(1).max(128) }) },
  response: z.object({ data: z.union([WholeInternPermission, InternQuestion]) }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'bad_gateway', 'unavailable'],
  handler: async ({ params, caller, host, signal }, deps) => {
    await requireRegion(deps, caller, host)
    const intern = await findIntern(deps, caller, params.internId)
    const openQuestion = (await findOpenQuestions(deps, intern.id)).find(
      ({ question }) => question.id === params.questionId,
    )
    if (!openQuestion) throw new Fault('not_found', 'The intern has no open question with this ID.')
    const item = questionItem(openQuestion)
    if (openQuestion.question.kind !== 'permission') return { data: item }
    const permission = await fetchPermission(deps.provisioner.runsOf(intern), openQuestion.question.id, signal)
    const { detail, command, folder, paths, changes } = permission
    return {
      data: {
        ...(item as Extract<typeof item, { kind: 'permission' }>),
        ...(detail !== null && { detail: escapeUnambiguously(detail) }),
        command: command === null ? null : escapeUnambiguously(command),
        folder: folder === null ? null : escapeUnambiguously(folder),
        paths: paths.map(escapeUnambiguously),
        changes: changes.map(({ path, diff }) => ({
          path: escapeUnambiguously(path),
          diff: escapeLinesUnambiguously(diff),
        })),
      },
    }
  },
})

async function fetchPermission(runs: DaemonApi, id: string, signal: AbortSignal): Promise<PermissionDetails> {
  const permission = await translateDaemonErrors(runs.question(id, signal))
  if (permission) return permission
  throw new Fault('conflict', 'This question is no longer waiting for an answer.')
}

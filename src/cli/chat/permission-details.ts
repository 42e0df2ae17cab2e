import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
import { truncateLines } from './activity-formatter.ts'
import type { AgentQuestion } from './conversation.ts'

type Permission = Extract<AgentQuestion, { kind: 'permission' }>

type PermissionDetails = {
  /** The command with its working folder, or the description, on one line. */
  subject: string | undefined
  /** The lines of the diffs. */
  changes: string[]
  /** Whether some of it is not displayed. */
  isCut: boolean
}

/** The maximum that is displayed. More would scroll off the screen. */
const limits = { lines: 200, characters: 1000 }

/** Reads the details of a permission request, cut to what a screen can display. */
export async function readPermission(
  client: Pick<ApiClient, 'request'>,
  intern: string,
  question: Permission,
): Promise<PermissionDetails> {
  const path = internPath(intern, `/questions/${encodeURIComponent(question.id)}`)
  // If this fails, the question itself has the details, possibly cut.
  const response = await client
    .request<{
      data: { command: string | null; folder?: string | null; detail?: string; changes: { diff: string }[] }
    }>('GET', path)
    .catch(() => undefined)
  const { command = null, folder, detail = question.detail, changes = [] } = response?.data ?? {}
  const lines = changes.flatMap(({ diff }) => diff.split('\n'))
  const folderText = folder == null ? '' : `In ${JSON.stringify(folder)}: `
  const subject = command === null ? (lines.length > 0 ? undefined : detail) : folderText + command
  const isLong = subject !== undefined && subject.length > limits.characters
  return {
    subject: isLong ? `${subject.slice(0, limits.characters)} …` : subject,
    changes: truncateLines(lines, limits.lines),
    isCut: lines.length > limits.lines || isLong || response === undefined,
  }
}

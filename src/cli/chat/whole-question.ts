import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
import { bounded } from './activity-card.ts'
import type { AgentQuestion } from './conversation.ts'

type Permission = Extract<AgentQuestion, { kind: 'permission' }>

export type WholePermission = {
  /** What it is about, on one line. */
  about: string | undefined
  /** What would be written, a line each. */
  changes: string[]
  /** Whether there is more to it than is shown. */
  isCut: boolean
}

/** More takes some reading: a part of it may have left the screen. */
const most = { lines: 200, characters: 1000 }

/** All that a permission is about, as far as a screen can show it. */
export async function wholePermission(
  client: Pick<ApiClient, 'ask'>,
  intern: string,
  asked: Permission,
): Promise<WholePermission> {
  const path = internPath(intern, `/questions/${encodeURIComponent(asked.id)}`)
  // The question itself says what it is about, though it may be cut.
  const whole = await client
    .ask<{ data: { command: string | null; detail?: string; changes: { diff: string }[] } }>('GET', path)
    .catch(() => undefined)
  const { command = null, detail = asked.detail, changes = [] } = whole?.data ?? {}
  const lines = changes.flatMap(({ diff }) => diff.split('\n'))
  const about = command ?? (lines.length > 0 ? undefined : detail)
  return {
    about,
    changes: bounded(lines, most.lines),
    isCut: lines.length > most.lines || (about?.length ?? 0) > most.characters || whole === undefined,
  }
}

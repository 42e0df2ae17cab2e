import type { Db } from '#platform/db/db.ts'
import type { GuardrailRecord } from './guardrail.ts'
import { guardrailOf } from './rows.ts'

type WorkspacePoliciesSubject = { userId: string; keyHash: string }

/** The most keys and members whose guardrails are cached. A workspace can have any number of keys. */
const mostKnown = 10_000

/** All guardrails of a workspace, by the keys and members they apply to. */
export type WorkspacePolicies = { of: (subject: WorkspacePoliciesSubject) => readonly GuardrailRecord[] }

export async function readWorkspacePolicies(
  deps: { db: Pick<Db, 'query'> },
  workspaceId: string,
): Promise<WorkspacePolicies> {
  const [workspace, guardrails, assignments] = await Promise.all([
    deps.db.query
      .selectFrom('workspaces')
      .where('id', '=', workspaceId)
      .select('default_guardrail_id')
      .executeTakeFirst(),
    deps.db.query.selectFrom('guardrails').where('workspace_id', '=', workspaceId).selectAll().execute(),
    deps.db.query
      .selectFrom('guardrail_assignments')
      .where('workspace_id', '=', workspaceId)
      .select(['guardrail_id', 'target_kind', 'target_id'])
      .execute(),
  ])
  const byId = new Map(guardrails.map((row) => [row.id, guardrailOf(row)]))
  const assigned = new Map(
    assignments.map((row) => [`${row.target_kind} ${row.target_id}`, byId.get(row.guardrail_id)]),
  )
  const standard = byId.get(workspace?.default_guardrail_id ?? '')
  const known = new Map<string, readonly GuardrailRecord[]>()
  /** Lists by the ids in them. Callers with equal guardrails share one list, so its filters are compiled once. */
  const lists = new Map<string, readonly GuardrailRecord[]>()

  return {
    of({ userId, keyHash }) {
      const subject = `${userId} ${keyHash}`
      const found = known.get(subject)
      if (found) return found
      const all = [standard, assigned.get(`member ${userId}`), assigned.get(`key ${keyHash}`)]
      const inForce = [...new Set(all.filter((guardrail) => guardrail !== undefined))]
      const list = lists.getOrInsertComputed(inForce.map(({ id }) => id).join(' '), () => inForce)
      if (known.size >= mostKnown) known.clear()
      known.set(subject, list)
      return list
    },
  }
}

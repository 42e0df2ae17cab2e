import type { TokenGuardrails } from '#identity/tokens/tokens.ts'
import { assign } from './assignments/assignments.ts'
import type { GuardrailCache } from './guardrail-cache.ts'
import type { WriteDeps } from './write.ts'

/** Finds the guardrails that tokens name, and assigns them to the keys of the tokens. */
export function tokenGuardrails(deps: WriteDeps & { guardrailCache: GuardrailCache }): TokenGuardrails {
  return {
    async find(workspaceId, name) {
      const rows = await deps.db.query
        .selectFrom('guardrails')
        .where('workspace_id', '=', workspaceId)
        .where((row) => row.or([row('id', '=', name), row('name', '=', name)]))
        .select('id')
        .execute()
      // A name may look like the ID of another guardrail; the ID wins.
      return (rows.find(({ id }) => id === name) ?? rows[0])?.id
    },
    async apply(caller, guardrailId) {
      const { guardrails } = await deps.guardrailCache.of(caller)
      if (guardrails.some(({ id }) => id === guardrailId)) return
      await assign(deps, caller, guardrailId, 'key', [caller.keyHash])
    },
  }
}

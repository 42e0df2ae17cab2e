import type { TokenGuardrails } from '#identity/tokens/tokens.ts'
import { assign } from './assignments/assignments.ts'
import type { GuardrailCache } from './guardrail-cache.ts'
import type { WriteDeps } from './write-guardrails.ts'

/** Finds the guardrails that tokens name, and assigns them to the keys of the tokens. */
export function tokenGuardrails(deps: WriteDeps & { guardrailCache: GuardrailCache }): TokenGuardrails {
  return {
    async find(workspaceId, name) {
      const rows = await deps.db.query
        .selectFrom('guardrails')
        .where('workspace_id', '=', workspaceId)
        .where((e) => e.or([e('id', '=', name), e('name', '=', name)]))
        .select('id')
        .execute()
      // One guardrail can have the ID of another one as its name. The ID takes precedence.
      return (rows.find(({ id }) => id === name) ?? rows[0])?.id
    },
    async apply(caller, guardrailId) {
      const { guardrails } = await deps.guardrailCache.policiesOf(caller)
      if (guardrails.some(({ id }) => id === guardrailId)) return
      await assign(deps, caller, guardrailId, 'key', [caller.keyHash])
    },
  }
}

import type { JwtGuardrails } from '#identity/tokens/tokens.ts'
import { assign } from './assignments/assignments.ts'
import type { GuardrailCache } from './guardrail-cache.ts'
import type { WriteDeps } from './write-guardrails.ts'

/** Finds the guardrail that a JSON Web Token names in its claims, and assigns it to the API key that represents the token. */
export function createJwtGuardrails(deps: WriteDeps & { guardrailCache: GuardrailCache }): JwtGuardrails {
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

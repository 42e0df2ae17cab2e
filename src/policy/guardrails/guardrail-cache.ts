import type { Caller } from '#identity/accounts/caller.ts'
import type { Db } from '#platform/db/db.ts'
import { createReadCache } from '#platform/db/rows/read-cache.ts'
import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import { type EffectivePolicies, readWorkspacePolicies } from './workspace-policies.ts'

type GuardrailCacheSubject = Pick<Caller, 'workspaceId' | 'userId' | 'keyHash'>

/** The guardrails and budgets that apply to a caller. */
export type GuardrailCache = {
  policiesOf: (caller: GuardrailCacheSubject) => Promise<EffectivePolicies>
  /** Like `policiesOf`, but only from memory: undefined if the policies are not cached. */
  getCached: (caller: GuardrailCacheSubject) => EffectivePolicies | undefined
  close: () => void
}

type GuardrailCacheDeps = { db: Pick<Db, 'query' | 'signals'>; allowStale?: AllowStale }

/** Reads guardrails and budgets from memory. A change applies at once on this server and within a second on the others. */
export function createGuardrailCache({ db, allowStale }: GuardrailCacheDeps): GuardrailCache {
  const workspaces = createReadCache({
    signals: db.signals,
    allowStale,
    topic: 'guardrail.changed',
    read: (workspaceId) => readWorkspacePolicies({ db }, workspaceId),
  })
  return {
    policiesOf: async (caller) => (await workspaces.get(caller.workspaceId)).policiesOf(caller),
    getCached: (caller) => workspaces.getCached(caller.workspaceId)?.policiesOf(caller),
    close: workspaces.close,
  }
}

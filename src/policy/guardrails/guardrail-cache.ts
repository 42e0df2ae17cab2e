import type { Caller } from '#identity/accounts/caller.ts'
import { whenKnown } from '#platform/async/when-known.ts'
import type { Db } from '#platform/db/db.ts'
import { createReadCache } from '#platform/db/rows/read-cache.ts'
import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import type { GuardrailRecord } from './guardrail.ts'
import { readWorkspacePolicies } from './workspace-policies.ts'

type GuardrailCacheSubject = Pick<Caller, 'workspaceId' | 'userId' | 'keyHash'>

/** The guardrails that hold for a caller: the workspace's default, the member's, the key's, as far as there are any. */
export type GuardrailCache = {
  of: (caller: GuardrailCacheSubject) => readonly GuardrailRecord[] | Promise<readonly GuardrailRecord[]>
  close: () => void
}

type GuardrailCacheDeps = { db: Pick<Db, 'query' | 'signals'>; allowStale?: AllowStale }

/** Answers from memory in the steady state; a change is in force at once here, and within a second elsewhere. */
export function createGuardrailCache({ db, allowStale }: GuardrailCacheDeps): GuardrailCache {
  const workspaces = createReadCache({
    signals: db.signals,
    allowStale,
    topic: 'guardrail.changed',
    read: (workspaceId) => readWorkspacePolicies({ db }, workspaceId),
  })
  return {
    of: (caller) => whenKnown(workspaces.get(caller.workspaceId), (policies) => policies.of(caller)),
    close: workspaces.close,
  }
}

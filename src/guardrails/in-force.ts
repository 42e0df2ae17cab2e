import type { Caller } from '#accounts/caller.ts'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import type { GuardrailRecord } from './guardrail.ts'
import { readWorkspacePolicies, type WorkspacePolicies } from './workspace-policies.ts'

type Subject = Pick<Caller, 'workspaceId' | 'userId' | 'keyHash'>

/** The guardrails that hold for a caller: the workspace's default, the member's, the key's, as far as there are any. */
export type InForce = {
  of: (caller: Subject) => readonly GuardrailRecord[] | Promise<readonly GuardrailRecord[]>
  close: () => void
}

/** How old what is remembered may be while other servers cannot be heard. */
const unheardTrustMs = 700

type Remembered = { policies: WorkspacePolicies; loadedAt: number }

/** Answers from memory in the steady state; a change is in force at once here, and within a second elsewhere. */
export function createInForce(deps: { db: Pick<Db, 'query' | 'signals'>; now: Now }): InForce {
  const remembered = new Map<string, Remembered>()
  const loading = new Map<string, Promise<WorkspacePolicies>>()

  const forget = (workspaceId: string) => {
    remembered.delete(workspaceId)
    loading.delete(workspaceId)
  }
  const forgetAll = () => {
    remembered.clear()
    loading.clear()
  }
  const { signals } = deps.db
  const unsubscribe = [signals.subscribe('guardrail.changed', forget), signals.onMissed(forgetAll)]

  function load(workspaceId: string): Promise<WorkspacePolicies> {
    const underway = loading.get(workspaceId)
    if (underway) return underway
    const loadedAt = deps.now()
    const reading: Promise<WorkspacePolicies> = readWorkspacePolicies(deps, workspaceId)
      .then((policies) => {
        // A change since then has taken it out: what was read before it must not be remembered after it.
        if (loading.get(workspaceId) === reading) remembered.set(workspaceId, { policies, loadedAt })
        return policies
      })
      .finally(() => {
        if (loading.get(workspaceId) === reading) loading.delete(workspaceId)
      })
    loading.set(workspaceId, reading)
    return reading
  }

  return {
    of(caller) {
      const known = remembered.get(caller.workspaceId)
      const trusted = known && (signals.live() || deps.now() - known.loadedAt < unheardTrustMs)
      if (trusted) return known.policies.of(caller)
      return load(caller.workspaceId).then((policies) => policies.of(caller))
    },
    close() {
      for (const end of unsubscribe) end()
      forgetAll()
    },
  }
}

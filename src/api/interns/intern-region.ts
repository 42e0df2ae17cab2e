import type { GatewayDeps } from '#gateway/deps.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { guardrailRefusal } from '#interns/contract/chat-fault.ts'
import { judgeRegion } from '#policy/guardrails/decide/judge.ts'
import { regionRefusal } from '#policy/guardrails/decide/refusal.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'

/**
 * Applies the regions of a caller's guardrails to conversations with interns too. The intern's own requests to models
 * are judged by the intern's own key.
 * @param host the host in the address of the request, which determines the region.
 * @throws Fault `forbidden` with the reason that the chat route requires.
 */
export async function requireRegion(
  {
    guardrailCache,
    routing,
  }: { guardrailCache: Pick<GuardrailCache, 'policiesOf'>; routing: Pick<GatewayDeps, 'regionOf'> },
  caller: Caller,
  host: string | undefined,
): Promise<void> {
  const region = routing.regionOf(host)
  const verdict = judgeRegion((await guardrailCache.policiesOf(caller)).guardrails, region)
  if (verdict) throw guardrailRefusal(regionRefusal(verdict, region))
}

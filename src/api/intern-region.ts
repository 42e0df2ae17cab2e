import type { Caller } from '#accounts/caller.ts'
import type { GuardrailCache } from '#guardrails/guardrail-cache.ts'
import { judgeRegion } from '#guardrails/judge.ts'
import { regionRefusal } from '#guardrails/refusal.ts'
import { guardrailRefusal } from '#interns/chat-fault.ts'
import type { RoutingDeps } from '#routing/deps.ts'

/**
 * Applies the regions of a caller's guardrails to conversations with interns too. The intern's own requests to models
 * are judged by the intern's own key.
 * @throws Fault `forbidden` with the reason that the chat route requires.
 */
export async function requireRegion(
  { guardrailCache, routing }: { guardrailCache: Pick<GuardrailCache, 'of'>; routing: Pick<RoutingDeps, 'regionOf'> },
  caller: Caller,
  host: string | undefined,
): Promise<void> {
  const region = routing.regionOf(host)
  const verdict = judgeRegion(await guardrailCache.of(caller), region)
  if (verdict) throw guardrailRefusal(regionRefusal(verdict, region))
}

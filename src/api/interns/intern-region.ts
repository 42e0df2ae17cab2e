import type { GatewayDeps } from '#gateway/deps.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { guardrailRefusal } from '#interns/contract/chat-fault.ts'
import { findRegionViolation } from '#policy/guardrails/decide/find-violation.ts'
import { createRegionRefusal } from '#policy/guardrails/decide/refusal.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'

/**
 * Requires that the guardrails of a caller allow the region of a request to an intern. The requests of the intern to
 * models are checked separately, against the guardrails of the intern's key.
 * @param host the host in the address of the request, which determines the region.
 * @throws Fault `forbidden` with the `reason` in its metadata that clients of the chat route expect.
 */
export async function requireRegion(
  {
    guardrailCache,
    gateway,
  }: { guardrailCache: Pick<GuardrailCache, 'policiesOf'>; gateway: Pick<GatewayDeps, 'regionOf'> },
  caller: Caller,
  host: string | undefined,
): Promise<void> {
  const region = gateway.regionOf(host)
  const verdict = findRegionViolation((await guardrailCache.policiesOf(caller)).guardrails, region)
  if (verdict) throw guardrailRefusal(createRegionRefusal(verdict, region))
}

import { Fault } from '#platform/core/fault.ts'
import type { Scanner } from '#policy/filters/scanner.ts'
import { screenRequest } from '#policy/guardrails/decide/screen-request.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { EffectivePolicies } from '#policy/guardrails/workspace-policies.ts'
import type { Target } from '../plan/plan.ts'
import type { BeforeSendInput, InFlightInput, Policy } from './policy.ts'

type RecheckDeps = {
  guardrailCache: Pick<GuardrailCache, 'policiesOf'>
  scanner: Pick<Scanner, 'scanRequest'>
  /** @throws Fault if the guardrails forbid the region, the model or the endpoint, or a limit is exceeded. */
  requirePermitted: (policies: EffectivePolicies, check: InFlightInput) => Promise<unknown>
  /** Whether the guardrails forbid the provider to store requests to this model. */
  forbidsStorage: (guardrails: EffectivePolicies['guardrails'], target: Target) => boolean
}

/** Guardrails can change again during a check. This limits the repetitions. */
const maxRounds = 3

/**
 * Creates `recheckBeforeSend` of a policy. Guardrails can change while a request waits for money or for another
 * endpoint. If a change would modify the request, it is not sent, and the client has to repeat it.
 */
export function createRecheckBeforeSend(deps: RecheckDeps): Policy['recheckBeforeSend'] {
  return async (check) => {
    const { caller, decision } = check
    let applied = decision.guardrails
    try {
      let current = await currentPolicies(deps, caller)
      for (let round = 0; current && current.guardrails !== applied && round < maxRounds; round++) {
        applied = current.guardrails
        await recheck(deps, check, current)
        current = await currentPolicies(deps, caller)
      }
      return undefined
    } catch (error) {
      if (error instanceof Fault) return error
      throw error
    }
  }
}

/** The current policies; undefined if the database is unreachable, because then those that were applied still hold. */
async function currentPolicies(
  { guardrailCache }: RecheckDeps,
  caller: BeforeSendInput['caller'],
): Promise<EffectivePolicies | undefined> {
  try {
    return await guardrailCache.policiesOf(caller)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unavailable') return undefined
    throw error
  }
}

async function recheck(deps: RecheckDeps, check: BeforeSendInput, policies: EffectivePolicies): Promise<void> {
  const { guardrails } = policies
  const { caller, host, decision, request, target, access, signal } = check
  const current = { target, byok: access.isByok(target.endpoint) }
  const { budgets: limits, groups } = decision.spending
  await deps.requirePermitted(policies, { caller, host, current, groups, limits })
  if (!decision.isStorageForbidden && deps.forbidsStorage(guardrails, target)) throw repeatRequestFault()
  const { chat, body } = request
  const { findings } = await screenRequest(deps.scanner, guardrails, { chat, body }, { requester: caller, signal })
  if (findings.some(({ action }) => action === 'redact')) throw repeatRequestFault()
}

const repeatRequestFault = () =>
  new Fault(
    'unavailable',
    'A guardrail was changed while this request waited, and now requires changes to the request, so it was not sent. Send it again.',
    { retryAfterSeconds: 1 },
  )

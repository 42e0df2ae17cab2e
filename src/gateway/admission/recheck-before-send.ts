import { Fault } from '#platform/core/fault.ts'
import type { Scanner } from '#policy/filters/scan.ts'
import { screenRequest } from '#policy/guardrails/decide/content.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { Target } from '../plan/plan.ts'
import type { BeforeSendQuestion, InFlightQuestion, Policy } from './policy.ts'

type Guardrails = readonly GuardrailRecord[]

type RecheckDeps = {
  guardrailCache: Pick<GuardrailCache, 'of'>
  scanner: Pick<Scanner, 'scanRequest'>
  /** @throws Fault if the guardrails forbid the region, the model or the endpoint, or a limit is exceeded. */
  requirePermitted: (guardrails: Guardrails, question: InFlightQuestion) => Promise<void>
  /** Whether the guardrails forbid the provider to store requests to this model. */
  forbidsStorage: (guardrails: Guardrails, target: Target) => boolean
}

/** Guardrails can change again during a check. The loop ends even if they change during every check. */
const maxRounds = 3

/**
 * Creates `recheckBeforeSend` of a policy. Guardrails can change while a request waits for money or for another
 * endpoint. If a change would modify the request, it is not sent, and the client has to repeat it.
 */
export function recheckingBeforeSend(deps: RecheckDeps): Policy['recheckBeforeSend'] {
  return async (question) => {
    const { caller, decision } = question
    let applied = decision.guardrails
    let current = await currentOrApplied(deps, caller, applied)
    for (let round = 0; current !== applied && round < maxRounds; round++) {
      applied = current
      await recheck(deps, question, applied)
      current = await currentOrApplied(deps, caller, applied)
    }
  }
}

/** The current guardrails, or those that were applied last if the database is unreachable. */
async function currentOrApplied(
  { guardrailCache }: RecheckDeps,
  caller: BeforeSendQuestion['caller'],
  applied: Guardrails,
): Promise<Guardrails> {
  try {
    return await guardrailCache.of(caller)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unavailable') return applied
    throw error
  }
}

async function recheck(deps: RecheckDeps, question: BeforeSendQuestion, guardrails: Guardrails): Promise<void> {
  const { caller, host, decision, request, target, access, signal } = question
  const current = { target, byok: access.isByok(target.endpoint) }
  await deps.requirePermitted(guardrails, { caller, host, current, limits: decision.spending.budgets })
  if (!decision.retainsNothing && deps.forbidsStorage(guardrails, target)) throw needsRepeat()
  const { chat, body } = request
  const { findings } = await screenRequest(deps.scanner, guardrails, { chat, body }, { requester: caller, signal })
  if (findings.some(({ action }) => action === 'redact')) throw needsRepeat()
}

const needsRepeat = () =>
  new Fault(
    'unavailable',
    'A guardrail was changed while this request waited, and now requires changes to the request, so it was not sent. Send it again.',
    { retryAfterSeconds: 1 },
  )

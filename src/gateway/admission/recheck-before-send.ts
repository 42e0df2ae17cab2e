import { Fault } from '#platform/core/fault.ts'
import type { Scanner } from '#policy/filters/scan.ts'
import { screenRequest } from '#policy/guardrails/decide/content.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { Target } from '../plan/plan.ts'
import type { JudgeAgainQuestion, Policy, RecheckQuestion } from './policy.ts'

type Guardrails = readonly GuardrailRecord[]

type JudgeAgainDeps = {
  guardrailCache: Pick<GuardrailCache, 'of'>
  scanner: Pick<Scanner, 'scanRequest'>
  /** @throws Fault where region, model, endpoint or a limit is forbidden by these guardrails. */
  requirePermitted: (guardrails: Guardrails, question: RecheckQuestion) => Promise<void>
  /** Whether these guardrails want nothing retained of what is asked of a model. */
  forbidsStorage: (guardrails: Guardrails, target: Target) => boolean
}

/** They may change again while filters look at the text; where each look at them takes long, they always seem to. */
const mostRounds = 3

/**
 * What `judgeAgain` of a policy does. A request may have waited for money, or for another endpoint that failed, while a
 * guardrail was changed. What the change would have sent in other words is not sent: its client asks again.
 */
export function judgingAgain(deps: JudgeAgainDeps): Policy['judgeAgain'] {
  return (question) => {
    const read = deps.guardrailCache.of(question.caller)
    return read === question.decision.guardrails ? undefined : judgeChanged(deps, question, read)
  }
}

async function judgeChanged(
  deps: JudgeAgainDeps,
  question: JudgeAgainQuestion,
  read: Guardrails | Promise<Guardrails>,
): Promise<void> {
  const { caller, decision } = question
  let judged = decision.guardrails
  let next = await lastKnown(read, judged)
  for (let rounds = 0; next !== judged && rounds < mostRounds; rounds++) {
    judged = next
    await judge(deps, question, judged)
    next = await lastKnown(deps.guardrailCache.of(caller), judged)
  }
}

/** While nobody can tell what holds now, what was decided goes on. */
async function lastKnown(read: Guardrails | Promise<Guardrails>, known: Guardrails): Promise<Guardrails> {
  try {
    return await read
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unavailable') return known
    throw error
  }
}

async function judge(deps: JudgeAgainDeps, question: JudgeAgainQuestion, guardrails: Guardrails): Promise<void> {
  const { caller, host, decision, sent, target, isByok, signal } = question
  const asked = { target, byok: isByok(target.endpoint) }
  await deps.requirePermitted(guardrails, { caller, host, asked, limits: decision.limits })
  if (!decision.retainsNothing && deps.forbidsStorage(guardrails, target)) throw sentOtherwise()
  const { chat, body } = sent
  const { findings } = await screenRequest(deps.scanner, guardrails, { chat, body }, { requester: caller, signal })
  if (findings.some(({ action }) => action === 'redact')) throw sentOtherwise()
}

const sentOtherwise = () =>
  new Fault(
    'unavailable',
    'A guardrail was changed while this request waited, and the request would have to be changed as well, so it was not sent on. Send it again.',
    { retryAfterSeconds: 1 },
  )

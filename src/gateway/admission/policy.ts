import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { LeaveSignal } from '#platform/async/leave-signal.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import type { ContentFinding } from '#policy/guardrails/decide/content.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import type { Candidate, Target } from '../plan/plan.ts'
import type { Forms } from '../pricing/bill.ts'
import type { Body } from '../protocol/protocol.ts'
import type { TurnLimits } from './turn-limits.ts'

export type PolicyQuestion = {
  caller: Caller
  chat: ChatRequest
  body: Body
  /** The client's protocol. */
  protocol: Protocol
  candidates: Candidate[]
  host: string | undefined
  turns?: TurnLimits | undefined
  /** Aborts when the client leaves or its key is disabled. */
  signal?: LeaveSignal | undefined
}

/**
 * The decision for one request: the endpoints that may be asked, the request as it may be sent, and the settlement of
 * its cost.
 */
export type PolicyDecision = {
  candidates: Candidate[]
  /** By which it was decided. */
  guardrails: readonly GuardrailRecord[]
  chat: ChatRequest
  body: Body
  /** Whether nothing of it may be retained, as a guardrail says. */
  retainsNothing: boolean
  /** Fields that stay here, since nobody knows what they may cost. */
  leftOut: readonly string[]
  /** The limits that count what the request spends. */
  limits: readonly Budget[]
  /** Findings of content filters that did not block the request. */
  findings: readonly ContentFinding[]
  /**
   * Sets aside what the request may cost at most, also of limits that do not count the workspace's own provider keys
   * unless all targets are asked with those, as `isByok` tells. Without a limit nothing is waited for.
   * @returns the request with a limit of its answer, where it had none and only a shorter one has room in what an intern's turn may cost.
   * @throws Fault when a limit leaves no room.
   */
  reserve: (
    targets: readonly Target[],
    isByok: (endpoint: Endpoint) => boolean,
  ) => Promise<Forms | undefined> | undefined
  /**
   * The endpoints where everything can be priced that a limit would count.
   * @throws Fault `forbidden` that names what cannot be when none is left.
   */
  priceable: (targets: Target[], isByok: (endpoint: Endpoint) => boolean) => Target[]
  /**
   * Pays for attempts without an answer while the request goes on, and gives back the rest of what was set aside. More
   * is reserved afterwards.
   */
  settleEarly: (charge: { cost: PicoUsd; byok: boolean }) => void
  /**
   * Called when the request is over and its record is in the ledger: what was set aside is paid or given back.
   * @param charge undefined when nobody can tell what was spent: then all that was reserved counts as spent.
   */
  settle: (charge: { cost: PicoUsd; byok: boolean } | undefined) => void
}

/** A request under way: whose it is now, the endpoint that is asked just now, and the limits of when it began. */
export type RecheckQuestion = {
  caller: Caller
  host: string | undefined
  asked: { target: Target; byok: boolean } | undefined
  limits: readonly Budget[]
}

/** A request that was decided on, and the endpoint that it is about to be sent to. */
export type JudgeAgainQuestion = Pick<RecheckQuestion, 'caller' | 'host'> & {
  decision: Pick<PolicyDecision, 'guardrails' | 'limits' | 'retainsNothing'>
  sent: Pick<Forms, 'chat' | 'body'>
  target: Target
  isByok: (endpoint: Endpoint) => boolean
  signal?: LeaveSignal | undefined
}

/**
 * Decides before the plan is made, at once where nothing has to be read and no filter looks at the request.
 * @throws Fault `forbidden` that names the guardrail and the rule.
 */
export type Policy = {
  decide: (question: PolicyQuestion) => PolicyDecision | Promise<PolicyDecision>
  /** Judges a request under way by what holds now. @throws Fault `forbidden`, as `decide` and `reserve` do. */
  recheck: (question: RecheckQuestion) => Promise<void>
  /**
   * Judges a request, as it is sent, just before an endpoint is asked. Undefined, and nothing to wait for, unless
   * guardrails have changed since it was decided on.
   * @throws Fault when the endpoint may not be asked any more, or not with this request.
   */
  judgeAgain: (question: JudgeAgainQuestion) => Promise<void> | undefined
}

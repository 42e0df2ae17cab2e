import type { ChatRequest } from '#chat/chat-request.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { DisconnectSignal } from '#platform/async/disconnect-signal.ts'
import type { Fault } from '#platform/core/fault.ts'
import type { RequestFormat } from '#platform/core/vocabulary.ts'
import type { ContentFinding } from '#policy/guardrails/decide/screen-request.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import type { RequestGroups } from '#spend/ledger/request-group.ts'
import type { Candidate, Target } from '../plan/plan.ts'
import type { RequestBodies } from '../pricing/extra-usage-bound.ts'
import type { Body } from '../protocol/request-body.ts'
import type { CredentialSource, SpendingLimits } from './spending-limits.ts'
import type { TurnLimits } from './turn-limits.ts'

/** A request before the policy is applied. */
export type PolicyInput = {
  caller: Caller
  chat: ChatRequest
  body: Body
  /** The client's protocol. */
  protocol: RequestFormat
  candidates: Candidate[]
  host: string | undefined
  /** The session and the tags of the request. */
  groups: RequestGroups
  turns?: TurnLimits | undefined
  /** Aborts when the client disconnects or its key is disabled. */
  signal?: DisconnectSignal | undefined
}

/** A request as the policy permits it: its endpoints, its body, and the limits that count its cost. */
export type PolicyDecision = {
  /** The candidates with the permitted endpoints. */
  candidates: Candidate[]
  /** The guardrails that were applied. */
  guardrails: readonly GuardrailRecord[]
  chat: ChatRequest
  body: Body
  /** Whether a guardrail forbids storing the request. */
  isStorageForbidden: boolean
  /** Fields that are not sent, because a limit applies and their cost is unknown. */
  removedFields: readonly string[]
  spending: SpendingLimits
  /** Findings of content filters that did not block the request. */
  findings: readonly ContentFinding[]
}

/** An endpoint that is being called, and whether with the workspace's own credential. */
type CurrentEndpoint = { target: Target; byok: boolean }

/** The input of `recheckInFlight`: a request whose caller or guardrails may have changed since it was admitted. */
export type InFlightInput = {
  /** The caller with its current limits. */
  caller: Caller
  host: string | undefined
  /** Undefined between two attempts. */
  current: CurrentEndpoint | undefined
  groups: RequestGroups
  /** The limits when the request was admitted. */
  limits: readonly Budget[]
}

/** The input of `recheckBeforeSend`: an admitted request, and the endpoint to which it is about to be sent. */
export type BeforeSendInput = Pick<InFlightInput, 'caller' | 'host'> & {
  decision: Pick<PolicyDecision, 'guardrails' | 'isStorageForbidden'> & {
    spending: Pick<SpendingLimits, 'budgets' | 'groups'>
  }
  /** The request as it would be sent. */
  request: RequestBodies
  target: Target
  access: CredentialSource
  signal?: DisconnectSignal | undefined
}

export type Policy = {
  /**
   * Applies the policy before endpoints are chosen.
   * @throws Fault `forbidden` with the guardrail and the rule.
   */
  decide: (input: PolicyInput) => Promise<PolicyDecision>
  /**
   * Applies the current rules to a request in flight.
   * @returns the limits that were set since it was admitted. @throws Fault `forbidden` if the rules no longer permit it.
   */
  recheckInFlight: (check: InFlightInput) => Promise<readonly Budget[]>
  /** Whether the guardrails of a decision are known to be unchanged. */
  isCurrent: (caller: Caller, decision: Pick<PolicyDecision, 'guardrails'>) => boolean
  /**
   * Applies guardrails that changed after the decision, just before the request is sent.
   * @returns the fault if they forbid the endpoint, or would change the request.
   */
  recheckBeforeSend: (check: BeforeSendInput) => Promise<Fault | undefined>
}

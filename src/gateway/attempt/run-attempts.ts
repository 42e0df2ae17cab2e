import { clientClosedFault, Fault } from '#platform/core/fault.ts'
import type { BeforeSendInput, Policy } from '../admission/policy.ts'
import type { AttemptPermit, Circuits } from '../plan/circuits.ts'
import { canFitPrompt } from '../plan/context-length.ts'
import { createNoEndpointFault } from '../plan/no-endpoint-fault.ts'
import type { Target } from '../plan/plan.ts'
import type { RequestBodies } from '../pricing/extra-usage-bound.ts'
import type { AttemptRecord } from '../record/attempt-record.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { admitTargets } from './admitted-targets.ts'
import { type EncodingDeps, encodeAttempt, encodeLongAttempt } from './attempt-request.ts'
import { type AttemptFailure, failureFromStatus, toClientFault } from './failure/failure.ts'
import { refusesReasoning, withoutSignedReasoning } from './failure/refused-reasoning.ts'
import {
  createResponseHead,
  endWithError,
  type ModelResponse,
  type SendOutcome,
  sendStreamed,
  sendWhole,
} from './send-attempt.ts'
import type { Upstreams } from './upstream/upstream.ts'

export type AttemptDeps = EncodingDeps & {
  circuits: Pick<Circuits, 'admit' | 'admitLastResort' | 'restriction'>
  policy: Pick<Policy, 'isCurrent' | 'recheckBeforeSend'>
  upstreams: Upstreams
  /** The longest time without any output before the first token of a stream. After it, a keep-alive is sent. */
  keepaliveMs: number
  now: () => number
}

type Outcome =
  | SendOutcome
  /** The request was not sent: a guardrail that was changed after planning forbids the endpoint. */
  | { kind: 'forbidden'; fault: Fault }

/**
 * Tries one endpoint after the other until one answers. After the first content of a stream, no other one is tried.
 * @returns the whole response, or undefined if it was streamed.
 * @throws Fault if no endpoint answered and the response is not open yet.
 */
export async function runAttempts(
  deps: AttemptDeps,
  request: AdmittedRequest,
  targets: Target[],
): Promise<ModelResponse> {
  const keepaliveTimer = request.decision.chat.stream === true ? startKeepalives(deps, request) : undefined
  const { signal } = request.response
  let remaining = targets
  let lastFailure: FailedAttempt | undefined
  let forbidden: Fault | undefined
  const isRemaining = (target: Target) => remaining.includes(target)
  try {
    for (const { target, permit } of admitTargets(deps.circuits, request.access, targets, isRemaining)) {
      const outcome = await tryTarget(deps, request, target, permit)
      if (outcome.kind === 'response') return outcome.response
      if (outcome.kind === 'failed') lastFailure = { failure: outcome.failure, target }
      else forbidden = outcome.fault
      if (signal.aborted || lastFailure?.failure.canTryNext === false) break
      remaining = remainingTargetsAfter(remaining, target, outcome)
      if (!(await prepareNextAttempt(request, remaining))) break
    }
  } finally {
    clearInterval(keepaliveTimer)
  }
  const fault = chooseFinalFault(deps, request, targets, { lastFailure, forbidden })
  request.record.noteCause(fault)
  const target = lastFailure?.target ?? targets[0]
  if (!request.response.opened || !target) throw fault
  // A keep-alive has opened the stream already, so the failure is sent as an error event.
  const head = createResponseHead(deps, request, target)
  endWithError(request, request.client.createWriter(head, { includeUsage: false }), fault)
  return undefined
}

type FailedAttempt = { failure: AttemptFailure; target: Target }

/** The fault after the last attempt. */
function chooseFinalFault(
  deps: AttemptDeps,
  request: AdmittedRequest,
  targets: Target[],
  { lastFailure, forbidden }: { lastFailure: FailedAttempt | undefined; forbidden: Fault | undefined },
): Fault {
  const { revocationFault, signal } = request.response
  if (revocationFault) return revocationFault
  if (signal.aborted) return clientClosedFault()
  if (lastFailure) return toClientFault(lastFailure.failure, lastFailure.target)
  return forbidden ?? createAllCircuitsOpenFault(deps, request, targets)
}

/** A prompt that was too long for one endpoint is sent only to those with a larger context. */
function remainingTargetsAfter(targets: Target[], failedTarget: Target, outcome: Outcome): Target[] {
  const contextSizes = outcome.kind === 'failed' ? outcome.failure.contextSizes : undefined
  return targets.filter(
    (target) => target !== failedTarget && (!contextSizes || canFitPrompt(contextSizes, failedTarget, target)),
  )
}

/**
 * Charges a failed attempt that the provider can bill, and reserves money for the remaining endpoints.
 * @returns false if no endpoint remains, or a limit leaves no room. The caller then reports the last failure.
 */
async function prepareNextAttempt({ record, reservation }: AdmittedRequest, remaining: Target[]): Promise<boolean> {
  if (remaining.length === 0) return false
  const loss = record.unconfirmedLoss.takeUnsettled()
  if (!loss) return true
  try {
    await reservation.renew(loss, remaining)
    return true
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

/** Sends a request to one endpoint. Sends it once more without signed reasoning if the provider refuses the reasoning. */
async function tryTarget(
  deps: AttemptDeps,
  request: AdmittedRequest,
  target: Target,
  permit: AttemptPermit,
): Promise<Outcome> {
  const { record, response } = request
  try {
    const isCurrent = deps.policy.isCurrent(request.call.caller, request.decision)
    const forbidden = isCurrent ? undefined : await deps.policy.recheckBeforeSend(toBeforeSendInput(request, target))
    if (forbidden) {
      record.attempts.noteForbidden(target)
      return { kind: 'forbidden', fault: forbidden }
    }
    const bodies = request.reservation.request
    const outcome = await sendOnce(deps, request, record.startAttempt(target, permit), bodies)
    if (outcome.kind === 'response' || !refusesReasoning(outcome.failure) || response.signal.aborted) return outcome
    const unsignedBodies = withoutSignedReasoning(bodies)
    if (unsignedBodies === bodies) return outcome
    return await sendOnce(deps, request, record.startAttempt(target, permit), unsignedBodies)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    record.attempts.noteUnsent(target, error)
    // Another endpoint can be tried, as after a provider that is unavailable.
    const failure = { ...failureFromStatus(503, undefined), kind: error.kind, message: error.message }
    return { kind: 'failed', failure }
  } finally {
    permit.end()
  }
}

async function sendOnce(
  deps: AttemptDeps,
  request: AdmittedRequest,
  attemptRecord: AttemptRecord,
  bodies: RequestBodies,
): Promise<SendOutcome> {
  const { pause } = request.call
  const encoded = pause
    ? await encodeLongAttempt(deps, request, attemptRecord, bodies, pause)
    : encodeAttempt(deps, request, attemptRecord, bodies)
  return await (bodies.chat.stream === true ? sendStreamed(deps, request, encoded) : sendWhole(deps, request, encoded))
}

function toBeforeSendInput(
  { call, decision, reservation, access, response }: AdmittedRequest,
  target: Target,
): BeforeSendInput {
  const { caller, host } = call
  return { caller, host, decision, request: reservation.request, target, access, signal: response.signal }
}

/** Sends keep-alives on a stream while it has no other output, until the timer is cleared. */
function startKeepalives({ keepaliveMs }: AttemptDeps, { client, response }: AdmittedRequest): NodeJS.Timeout {
  return setInterval(() => {
    if (!response.signal.aborted) response.write(client.keepalive)
  }, keepaliveMs)
}

/** The fault if all circuits opened after planning. */
function createAllCircuitsOpenFault(
  deps: AttemptDeps,
  { record, access, reservation }: AdmittedRequest,
  targets: Target[],
): Fault {
  const excluded = targets.map((target) => ({ target, reason: 'unavailable_now' as const }))
  return createNoEndpointFault(deps, { attempts: record.attempts, access, chat: reservation.request.chat }, excluded)
}

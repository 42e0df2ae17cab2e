import { Fault } from '#platform/core/fault.ts'
import type { BeforeSendQuestion, Policy } from '../admission/policy.ts'
import type { AttemptPermit, Circuits } from '../plan/circuits.ts'
import { hasRoomFor } from '../plan/context-length.ts'
import { noEndpointFault } from '../plan/no-endpoint-fault.ts'
import type { Target } from '../plan/plan.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { admittedTargets } from './admitted-targets.ts'
import type { EncodingDeps } from './attempt-request.ts'
import { type AttemptFailure, failureOfStatus, faultOf } from './failure.ts'
import { type Answer, answerHead, endWithError, sendStreamed, sendWhole } from './send-attempt.ts'
import type { Upstreams } from './upstream/upstream.ts'

export type AttemptDeps = EncodingDeps & {
  circuits: Pick<Circuits, 'admit' | 'lastResort' | 'restriction'>
  policy: Pick<Policy, 'recheckBeforeSend'>
  upstreams: Upstreams
  /** The longest time without any output before the first token of a stream. After it, a keep-alive is sent. */
  keepaliveMs: number
  now: () => number
}

type Outcome =
  | { kind: 'answered'; answer: Answer }
  | { kind: 'failed'; failure: AttemptFailure }
  /** Not sent, because a guardrail that changed in the meantime forbids the endpoint. */
  | { kind: 'forbidden'; fault: Fault }

/**
 * Tries one endpoint after the other until one answers. After the first content of a stream, no other one is tried.
 * @returns the whole answer, or undefined if it was streamed.
 * @throws Fault if no endpoint answered and the response is not open yet.
 */
export async function runAttempts(deps: AttemptDeps, request: AdmittedRequest, targets: Target[]): Promise<Answer> {
  const isStreamed = request.decision.chat.stream === true
  const result = isStreamed
    ? await withKeepalives(deps, request, () => tryTargets(deps, request, targets))
    : await tryTargets(deps, request, targets)
  if (!('fault' in result)) return result.answer
  const { fault, target } = result
  request.record.noteCause(fault)
  if (!request.response.opened) throw fault
  // A keep-alive has opened the stream already, so the failure is sent as an error event.
  const writer = request.client.writer(answerHead(deps, request, target), { includeUsage: false })
  endWithError(request, writer, fault)
  return undefined
}

/** @returns the answer, or the fault after the last attempt. */
async function tryTargets(
  deps: AttemptDeps,
  request: AdmittedRequest,
  targets: Target[],
): Promise<{ answer: Answer } | { fault: Fault; target: Target }> {
  const { signal } = request.response
  let remaining = targets
  let lastFailure: { failure: AttemptFailure; target: Target } | undefined
  let forbidden: Fault | undefined
  const isRemaining = (target: Target) => remaining.includes(target)
  for (const { target, permit } of admittedTargets(deps.circuits, request.access, targets, isRemaining)) {
    const outcome = await tryTarget(deps, request, target, permit)
    if (outcome.kind === 'answered') return { answer: outcome.answer }
    if (outcome.kind === 'failed') lastFailure = { failure: outcome.failure, target }
    else forbidden = outcome.fault
    if (signal.aborted || lastFailure?.failure.tryNext === false) break
    remaining = remainingAfter(remaining, target, outcome)
    if (!(await canContinue(request, remaining))) break
  }
  const target = lastFailure?.target ?? targets[0]!
  if (request.response.revoked) return { fault: request.response.revoked, target }
  if (signal.aborted) return { fault: clientClosedFault(), target }
  if (lastFailure) return { fault: faultOf(lastFailure.failure, target), target }
  return { fault: forbidden ?? allCircuitsOpen(deps, request, targets), target }
}

/** A prompt that was too long for one endpoint is sent only to those with a larger context. */
function remainingAfter(targets: Target[], tried: Target, outcome: Outcome): Target[] {
  const tooLong = outcome.kind === 'failed' ? outcome.failure.tooLong : undefined
  return targets.filter((target) => target !== tried && (!tooLong || hasRoomFor(tooLong, tried, target)))
}

/**
 * Charges a failed attempt that the provider can bill, and reserves money for the remaining endpoints.
 * @returns false if no endpoint remains, or a limit leaves no room: then the failure is the result.
 */
async function canContinue({ record, reservation }: AdmittedRequest, remaining: Target[]): Promise<boolean> {
  if (remaining.length === 0) return false
  const failed = record.takeUnsettledLoss()
  if (!failed) return true
  try {
    await reservation.renew(failed, remaining)
    return true
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

async function tryTarget(
  deps: AttemptDeps,
  request: AdmittedRequest,
  target: Target,
  permit: AttemptPermit,
): Promise<Outcome> {
  const { record } = request
  try {
    const forbidden = await deps.policy.recheckBeforeSend(recheckQuestion(request, target))
    if (forbidden) {
      record.noteForbidden(target)
      return { kind: 'forbidden', fault: forbidden }
    }
    record.startAttempt(target, permit)
    const isStreamed = request.reservation.request.chat.stream === true
    const result = await (isStreamed ? sendStreamed(deps, request, target) : sendWhole(deps, request, target))
    return 'failure' in result
      ? { kind: 'failed', failure: result.failure }
      : { kind: 'answered', answer: result.answer }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    record.noteUnsent(target, error)
    const failure = { ...failureOfStatus(503, undefined), kind: error.kind, message: error.message }
    return { kind: 'failed', failure }
  } finally {
    permit.ended()
  }
}

function recheckQuestion(
  { call, decision, reservation, access, response }: AdmittedRequest,
  target: Target,
): BeforeSendQuestion {
  const { caller, host } = call
  return { caller, host, decision, request: reservation.request, target, access, signal: response.signal }
}

/** Sends keep-alives on a stream while it has no other output. */
async function withKeepalives<Result>(
  { keepaliveMs }: AttemptDeps,
  { client, response }: AdmittedRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(() => response.signal.aborted || response.write(client.keepalive), keepaliveMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

/** The fault if all circuits opened after planning. */
function allCircuitsOpen(
  deps: AttemptDeps,
  { record, access, reservation }: AdmittedRequest,
  targets: Target[],
): Fault {
  const excluded = targets.map((target) => ({ target, reason: 'unavailable_now' as const }))
  return noEndpointFault(deps, { record, access, chat: reservation.request.chat }, excluded)
}

const clientClosedFault = () => new Fault('client_closed_request', 'The client left before the answer.')

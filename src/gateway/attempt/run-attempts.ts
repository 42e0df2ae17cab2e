import type { TokenCounts } from '#chat/events.ts'
import { Fault } from '#platform/core/fault.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import type { CompletionContext } from '../completion-call.ts'
import type { RoutingDeps } from '../deps.ts'
import type { AttemptPermit } from '../plan/circuits.ts'
import { hasRoomFor } from '../plan/context-length.ts'
import { noEndpointFault } from '../plan/no-endpoint-fault.ts'
import type { Target } from '../plan/plan.ts'
import type { AnswerHead, StreamWriter } from '../protocol/protocol.ts'
import { relayStream, relayWhole } from '../protocol/relay.ts'
import type { ContextSizes } from '../providers/context-errors.ts'
import type { RequestRecord } from '../record/request-record.ts'
import type { TriedEndpoint } from '../record/tried-endpoint.ts'
import { admittedTargets } from './admitted-targets.ts'
import { attempt } from './attempt.ts'
import { type AttemptRequest, attemptRequestOf } from './attempt-request.ts'
import { nameDroppedFields } from './dropped-fields-header.ts'
import { type AttemptFailure, failureOfStatus, faultOf } from './failure.ts'
import type { Receiver } from './receiver.ts'

type Answered = { body: Buffer | object | undefined } | { failure: AttemptFailure }

/** Nothing was sent, because a rule that changed in the meantime forbids it. */
type NotAsked = { forbidden: Fault }

/** Tries one endpoint after the other until one answers. After the first content of a stream, no other one is tried. */
export async function answerFrom(
  deps: RoutingDeps,
  context: CompletionContext,
  targets: Target[],
): Promise<Buffer | object | undefined> {
  const { response, chat, client } = context
  const keepalive =
    chat.stream === true
      ? setInterval(() => response.signal.aborted || response.write(client.keepalive), deps.keepaliveMs)
      : undefined
  let last: { failure: AttemptFailure; target: Target } | undefined
  let forbidden: Fault | undefined
  let remaining = targets
  try {
    for (const { target, pass } of admittedTargets(deps.circuits, context.circuitOf, targets, (one) =>
      remaining.includes(one),
    )) {
      const answered = await askOne(deps, context, target, pass)
      if ('body' in answered) return answered.body
      if ('failure' in answered) last = { failure: answered.failure, target }
      else forbidden = answered.forbidden
      if (response.signal.aborted || last?.failure.tryNext === false) break
      remaining = remainingAfter(remaining, target, 'failure' in answered ? answered.failure.tooLong : undefined)
      if (!(await mayGoOn(context, remaining))) break
    }
  } finally {
    clearInterval(keepalive)
  }
  const fault = response.revoked
    ? response.revoked
    : response.signal.aborted
      ? new Fault('client_closed_request', 'The client left before the answer.')
      : last
        ? faultOf(last.failure, last.target)
        : (forbidden ?? noneAdmitted(deps, context, targets))
  context.requestRecord.because(fault)
  // If a keepalive opened the stream already, the failure is sent as an error event.
  if (!response.opened) throw fault
  const head = headOf(deps, context, last?.target ?? targets[0]!)
  endWithError(context, context.client.writer(head, { includeUsage: false }), fault)
  return undefined
}

/** The endpoints to try after a failed attempt. A prompt that was too long is sent only to those with more room. */
function remainingAfter(targets: Target[], failed: Target, tooLong: ContextSizes | undefined): Target[] {
  return targets.filter((target) => target !== failed && (!tooLong || hasRoomFor(tooLong, failed, target)))
}

/** The fault if circuits opened after planning and admit no endpoint. */
function noneAdmitted(deps: RoutingDeps, context: CompletionContext, targets: Target[]): Fault {
  const excluded = targets.map((target) => ({ target, reason: 'unavailable_now' as const }))
  return noEndpointFault(deps, context, excluded)
}

/**
 * Settles a failed attempt that the provider can bill, and reserves money for the remaining endpoints. If the budget
 * does not allow it, the failure is the result.
 */
async function mayGoOn({ requestRecord, payAndReserve }: CompletionContext, left: Target[]): Promise<boolean> {
  const lost = left.length > 0 ? requestRecord.takeLost() : undefined
  if (!lost) return left.length > 0
  try {
    await payAndReserve(lost, left)
    return true
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return false
  }
}

async function askOne(
  deps: RoutingDeps,
  context: CompletionContext,
  target: Target,
  pass: AttemptPermit,
): Promise<Answered | NotAsked> {
  const { requestRecord, response } = context
  try {
    const judging = context.judgeAgain(target)
    const forbidden = judging && (await refusalOf(judging))
    if (forbidden) {
      requestRecord.forbidden(target)
      return { forbidden }
    }
    requestRecord.asked(pass)
    context.asking(target)
    const prepared = context.chat.stream === true ? streamFrom(deps, context, target) : wholeFrom(deps, context, target)
    return prepared.answered(await attempt(deps, prepared.ask, prepared.receiver, response.signal, requestRecord))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    requestRecord.couldNotAsk(target, error)
    return { failure: { ...failureOfStatus(503, undefined), kind: error.kind, message: error.message } }
  } finally {
    pass.ended()
  }
}

async function refusalOf(judging: Promise<void>): Promise<Fault | undefined> {
  try {
    await judging
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}

/** One request to an endpoint, the receiver of its answer, and the handling of its result. */
type PreparedAttempt = {
  ask: AttemptRequest
  receiver: Receiver
  answered: (failure: AttemptFailure | undefined) => Answered
}

function streamFrom(deps: RoutingDeps, context: CompletionContext, target: Target): PreparedAttempt {
  const { client, response, requestRecord, content, chat } = context
  const { ask, passThrough, dropped, tried } = attemptRequestOf(deps, context, target)
  const relay = relayStream(response, {
    client,
    head: headOf(deps, context, target),
    passThrough,
    includeUsage: chat.stream_options?.include_usage === true || chat.usage?.include === true,
    count: content ? content.collecting(requestRecord.count) : requestRecord.count,
    countSaid: requestRecord.countSaid,
    readsAll: content !== undefined,
    started: () => {
      nameDroppedFields(context, dropped)
      context.source?.release()
    },
    price: priceFor(requestRecord, tried),
  })
  response.onRevoked((fault) => endWithError(context, relay.writer(), fault))
  const answered: PreparedAttempt['answered'] = (failure) => {
    if (failure) {
      requestRecord.gaveNothing(tried, failure, response.signal.aborted)
      return { failure }
    }
    requestRecord.gaveAnswer(tried, relay.failure, response.signal.aborted, !relay.heldBack)
    if (relay.failure) {
      const fault = faultOf(relay.failure, target)
      requestRecord.because(fault)
      endWithError(context, relay.writer(), fault)
    }
    return { body: undefined }
  }
  return { ask, receiver: relay, answered }
}

function wholeFrom(deps: RoutingDeps, context: CompletionContext, target: Target): PreparedAttempt {
  const { client, response, requestRecord, content } = context
  const { ask, passThrough, dropped, tried } = attemptRequestOf(deps, context, target)
  const relay = relayWhole({
    client,
    head: headOf(deps, context, target),
    passThrough,
    count: content ? content.collecting(requestRecord.count) : requestRecord.count,
    price: priceFor(requestRecord, tried),
  })
  const answered: PreparedAttempt['answered'] = (before) => {
    const failure = before ?? relay.failure
    if (failure) {
      // Nothing has reached the client, so the next endpoint can be tried.
      requestRecord.gaveNothing(tried, failure, response.signal.aborted)
      return { failure }
    }
    nameDroppedFields(context, dropped)
    requestRecord.gaveAnswer(tried, undefined, false, true)
    return { body: relay.body() }
  }
  return { ask, receiver: relay, answered }
}

/** The cost in the answer equals the charged cost. */
function priceFor(requestRecord: RequestRecord, tried: TriedEndpoint) {
  return (tokens: TokenCounts) => ({ costUsd: toUsd(requestRecord.costAt(tried, tokens)) })
}

function headOf(
  deps: RoutingDeps,
  { requestRecord, body }: CompletionContext,
  { model, endpoint }: Target,
): AnswerHead {
  const createdSeconds = Math.floor(requestRecord.createdAt / 1000)
  const provider = deps.catalogue.current().findProvider(endpoint.provider)?.name ?? endpoint.provider
  return { id: requestRecord.id, model: model.id, provider, createdSeconds, request: body }
}

function endWithError({ response }: CompletionContext, writer: StreamWriter, fault: Fault): void {
  if (!response.isOpen) return
  const { metadata } = fault.details
  response.write(writer.fail({ code: faultStatus[fault.kind], message: fault.message, ...(metadata && { metadata }) }))
  response.end()
}

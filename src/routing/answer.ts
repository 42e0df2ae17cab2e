import type { TokenCounts } from '#chat/events.ts'
import { faultStatus } from '#http/faults.ts'
import { Fault } from '#lib/fault.ts'
import { toUsd } from '#lib/pico-usd.ts'
import { askOf } from './ask.ts'
import { attempt } from './attempt.ts'
import type { Answering } from './call.ts'
import type { Pass } from './circuits.ts'
import type { RoutingDeps } from './deps.ts'
import { type AttemptFailure, failureOfStatus, faultOf } from './failure.ts'
import type { Journal, Tried } from './journal.ts'
import { refusal } from './nothing-left.ts'
import type { Target } from './plan.ts'
import { relayStream, relayWhole } from './relay.ts'
import { inTurn } from './turns.ts'
import type { AnswerHead, StreamWriter } from './wire.ts'

type Answered = { body: Buffer | object | undefined } | { failure: AttemptFailure }

/** Asks one endpoint after the other until one answers. The first byte of an answer ends the choice. */
export async function answerFrom(
  deps: RoutingDeps,
  answering: Answering,
  targets: Target[],
): Promise<Buffer | object | undefined> {
  const { outlet, chat, client } = answering
  const keepalive =
    chat.stream === true
      ? setInterval(() => outlet.signal.aborted || outlet.write(client.keepalive), deps.keepaliveMs)
      : undefined
  let last: { failure: AttemptFailure; target: Target } | undefined
  let left = targets
  try {
    for (const { target, pass } of inTurn(deps.circuits, answering.circuitOf, targets)) {
      const answered = await askOne(deps, answering, target, pass)
      if (!('failure' in answered)) return answered.body
      last = { failure: answered.failure, target }
      if (outlet.signal.aborted || !answered.failure.tryNext) break
      left = left.filter((other) => other !== target)
      if (!(await mayGoOn(answering, left))) break
    }
  } finally {
    clearInterval(keepalive)
  }
  const fault = outlet.revoked
    ? outlet.revoked
    : outlet.signal.aborted
      ? new Fault('client_closed_request', 'The client left before the answer.')
      : last
        ? faultOf(last.failure, last.target)
        : noneAdmitted(deps, answering, targets)
  answering.journal.because(fault)
  // Keepalives may have opened the stream already; then the failure is told in it.
  if (!outlet.opened) throw fault
  const head = headOf(deps, answering, last?.target ?? targets[0]!)
  endWithError(answering, answering.client.writer(head, { includeUsage: false }), fault)
  return undefined
}

/** The circuits have changed since the plan was made. */
function noneAdmitted(deps: RoutingDeps, answering: Answering, targets: Target[]): Fault {
  const excluded = targets.map((target) => ({ target, reason: 'unavailable_now' as const }))
  return refusal(deps, answering, excluded)
}

/**
 * A provider may bill an attempt that gave nothing. Then it is paid of what was set aside, and as much is set aside anew
 * for those that are left; where that does not fit, the answer is the failure.
 */
async function mayGoOn({ journal, payAndReserve }: Answering, left: Target[]): Promise<boolean> {
  const lost = left.length > 0 ? journal.takeLost() : undefined
  if (!lost) return left.length > 0
  try {
    await payAndReserve(lost, left)
    return true
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return false
  }
}

async function askOne(deps: RoutingDeps, answering: Answering, target: Target, pass: Pass): Promise<Answered> {
  try {
    answering.journal.asked(pass)
    answering.asking(target)
    return answering.chat.stream === true
      ? await streamFrom(deps, answering, target)
      : await wholeFrom(deps, answering, target)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    answering.journal.couldNotAsk(target, error)
    return { failure: { ...failureOfStatus(503, undefined), kind: error.kind, message: error.message } }
  } finally {
    pass.ended()
  }
}

async function streamFrom(deps: RoutingDeps, answering: Answering, target: Target): Promise<Answered> {
  const { client, outlet, journal, chat } = answering
  const { ask, passThrough, tried } = askOf(deps, answering, target)
  const relay = relayStream(outlet, {
    client,
    head: headOf(deps, answering, target),
    passThrough,
    includeUsage: chat.stream_options?.include_usage === true || chat.usage?.include === true,
    count: journal.count,
    price: priceFor(journal, tried),
  })
  outlet.onRevoked((fault) => {
    relay.flush()
    endWithError(answering, relay.writer(), fault)
  })
  const failure = await attempt(deps, ask, relay, outlet.signal)
  if (failure) {
    journal.gaveNothing(tried, failure, outlet.signal.aborted)
    return { failure }
  }
  journal.gaveAnswer(tried, relay.failure, outlet.signal.aborted, !relay.heldBack)
  if (relay.failure) {
    const fault = faultOf(relay.failure, target)
    journal.because(fault)
    endWithError(answering, relay.writer(), fault)
  }
  return { body: undefined }
}

async function wholeFrom(deps: RoutingDeps, answering: Answering, target: Target): Promise<Answered> {
  const { client, outlet, journal } = answering
  const { ask, passThrough, tried } = askOf(deps, answering, target)
  const relay = relayWhole({
    client,
    head: headOf(deps, answering, target),
    passThrough,
    count: journal.count,
    price: priceFor(journal, tried),
  })
  const failure = (await attempt(deps, ask, relay, outlet.signal)) ?? relay.failure
  if (failure) {
    // Nothing has reached the client, so the next endpoint may still be asked.
    journal.gaveNothing(tried, failure, outlet.signal.aborted)
    return { failure }
  }
  journal.gaveAnswer(tried, undefined, false, true)
  return { body: relay.body() }
}

/** What the client is told that it costs is what it is charged. */
function priceFor(journal: Journal, tried: Tried) {
  return (tokens: TokenCounts) => ({ costUsd: toUsd(journal.costAt(tried, tokens)) })
}

function headOf(deps: RoutingDeps, { journal, body }: Answering, { model, endpoint }: Target): AnswerHead {
  const createdSeconds = Math.floor(journal.createdAt / 1000)
  const provider = deps.catalogue.current().findProvider(endpoint.provider)?.name ?? endpoint.provider
  return { id: journal.id, model: model.id, provider, createdSeconds, request: body }
}

function endWithError({ outlet }: Answering, writer: StreamWriter, fault: Fault): void {
  if (!outlet.isOpen) return
  const { metadata } = fault.details
  outlet.write(writer.fail({ code: faultStatus[fault.kind], message: fault.message, ...(metadata && { metadata }) }))
  outlet.end()
}

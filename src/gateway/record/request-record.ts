import { type AnswerEvent, noTokens, type TokenCounts } from '#chat/events.ts'
import type { Fault } from '#platform/core/fault.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { newSpan, newSpanId, readTraceParent, type SpanName, writeTraceParent } from '#platform/net/trace-parent.ts'
import type { AttemptNote, Cause, Generation } from '#spend/ledger/generation.ts'
import type { AttemptFailure } from '../attempt/failure.ts'
import type { RoutingDeps } from '../deps.ts'
import type { Shut } from '../plan/circuit.ts'
import type { AttemptPermit } from '../plan/circuits.ts'
import type { Target } from '../plan/plan.ts'
import { chargedPrices } from '../pricing/charged-prices.ts'
import { cacheSavingOf, costOf } from '../pricing/cost.ts'
import { answerMeasurement } from './answer-measurement.ts'
import { AnswerCounter } from './answer-tally.ts'
import { billed, type Charge, chargeFor } from './charge.ts'
import { causeOf } from './failure-cause.ts'
import type { OpeningFacts } from './opening-facts.ts'
import { notAsked, type Planned, shutOutNote } from './skipped-endpoints.ts'
import { type TriedEndpoint, unpricedOf } from './tried-endpoint.ts'

type RequestRecordDeps = Pick<RoutingDeps, 'measure' | 'now' | 'newId' | 'tracing' | 'onUsageMismatch'>

/** The cost of a request, and whether it was made with the workspace's own key. */
type Owed = { cost: PicoUsd; byok: boolean }

/**
 * Keeps account of one request: every attempt and what became of it, and what the answer took. Tells circuits and
 * measurements as it goes, and is closed exactly once.
 */
export class RequestRecord {
  readonly id: string
  readonly createdAt: number
  readonly #deps: RequestRecordDeps
  readonly #opening: OpeningFacts
  readonly #promptEstimate: () => number
  readonly #attempts: AttemptNote[] = []
  #tally: AnswerCounter
  #askedAt = 0
  #connectMs: number | undefined
  #firstByteMs: number | undefined
  #planned: Planned | undefined
  /** Endpoints that a guardrail has come to forbid since. */
  #forbidden: Set<string> | undefined
  #pass: AttemptPermit | undefined
  /** `seen` where all that was generated was read as it came: `chargeFor` says what that means for the cost. */
  #answering: (TriedEndpoint & { failed: boolean; seen: boolean }) | undefined
  /** Attempts that gave nothing, and may be billed all the same. */
  #lost: Owed = { cost: 0n, byok: false }
  #paid = 0n
  #outcome: Generation['outcome'] = 'failed'
  #cause: Cause | undefined
  readonly #span: SpanName | undefined
  #attemptSpanId: string | undefined

  /** @param promptEstimate the tokens of the prompt, should no upstream count them. */
  constructor(deps: RequestRecordDeps, opening: OpeningFacts, promptEstimate: () => number) {
    this.#deps = deps
    this.#opening = opening
    this.#promptEstimate = promptEstimate
    this.id = `gen-${deps.newId()}`
    this.createdAt = deps.now()
    this.#tally = new AnswerCounter(deps.now)
    this.#span = deps.tracing ? newSpan(deps.newId, opening.traceParent) : undefined
  }

  /** The span that an upstream is to be below: the attempt's, or the client's where nothing is traced here. */
  get traceParent(): string | undefined {
    const span = this.#span ?? readTraceParent(this.#opening.traceParent)
    return span && writeTraceParent({ ...span, spanId: this.#attemptSpanId ?? span.spanId })
  }

  /** Which endpoints it may ask, in which order, and which not. */
  planned(planned: Planned): void {
    this.#planned = planned
  }

  /** @param pass is told how it goes. */
  asked(pass: AttemptPermit): void {
    this.#pass = pass
    this.#askedAt = this.#deps.now()
    this.#connectMs = undefined
    this.#firstByteMs = undefined
    if (this.#span) this.#attemptSpanId = newSpanId(this.#deps.newId)
    this.#tally = new AnswerCounter(this.#deps.now)
  }

  /** How long the attempt waited for a connection, and for the first byte of an answer, where these came. */
  waited(connectMs: number | undefined, firstByteMs: number | undefined): void {
    this.#connectMs = connectMs
    this.#firstByteMs = firstByteMs
  }

  readonly count = (events: AnswerEvent[]): void => {
    // The first byte is success: how fast the client reads on is not the endpoint's affair.
    this.#pass?.answered()
    this.#tally.count(events)
  }

  /** The same for one piece of text that was not read. */
  readonly countSaid = (type: 'text' | 'reasoning', bytes: number): void => {
    this.#pass?.answered()
    this.#tally.said(type, bytes)
  }

  /** Its circuit kept the endpoint from being asked. */
  shutOut(target: Target, shut: Shut): void {
    this.#attempts.push(shutOutNote(target, shut))
  }

  /** A guardrail was changed meanwhile, and keeps the endpoint from being asked. */
  forbidden({ endpoint }: Target): void {
    this.#forbidden ??= new Set()
    this.#forbidden.add(endpoint.id)
  }

  /** The request cannot be put in the endpoint's words, or there is no way to it any more: nothing was sent. */
  couldNotAsk({ endpoint }: Target, { kind, message }: Fault): void {
    this.#note(endpoint.id, endpoint.provider, kind, kind === 'unavailable' ? message : undefined)
  }

  /** Why it was refused, broken off or failed: told before it is closed. That the client left needs no reason. */
  because(error: unknown): void {
    const cause = causeOf(error)
    if (cause.kind !== 'client_closed_request') this.#cause ??= cause
  }

  /**
   * Ends an attempt of which nothing reached the client. If the request was sent, all of it may be billed, because
   * nobody saw the provider's result.
   */
  gaveNothing(tried: TriedEndpoint, failure: AttemptFailure, clientLeft: boolean): void {
    const { target, byok } = tried
    this.#note(target.endpoint.id, target.endpoint.provider, clientLeft ? 'client_left' : failure.kind, failure.reason)
    if (clientLeft) {
      this.#outcome = 'client_left'
      if (failure.sent) this.#answering = { ...tried, failed: false, seen: false }
      return
    }
    this.#failed(target, failure)
    if (!failure.sent) return
    const { cost, margin } = this.#chargeOf(tried, false)
    this.#lost = { cost: this.#lost.cost + cost + margin, byok }
  }

  /** The attempt answered, whole or up to `failure`. @param seen whether what was generated was read as it came. */
  gaveAnswer(tried: TriedEndpoint, failure: AttemptFailure | undefined, clientLeft: boolean, seen: boolean): void {
    const { target } = tried
    const { id, provider } = target.endpoint
    this.#answering = { ...tried, failed: failure !== undefined && !clientLeft, seen }
    this.#outcome = clientLeft ? 'client_left' : failure ? 'failed' : 'success'
    this.#note(id, provider, clientLeft ? 'client_left' : failure ? 'broke' : 'answered', failure?.reason)
    if (clientLeft) return
    if (failure) return this.#failed(target, failure)
    this.#pass?.answered()
    const { measure, now } = this.#deps
    measure(answerMeasurement(tried, this.#tally.result(), this.#opening.streamed, this.#askedAt, now()))
  }

  /** The possible cost of attempts without an answer, each reported once. */
  takeLost(): Owed | undefined {
    const cost = this.#lost.cost - this.#paid
    if (cost === 0n) return undefined
    this.#paid = this.#lost.cost
    return { cost, byok: this.#lost.byok }
  }

  /** The amount that limits are still to be charged for a finished request. */
  owed({ cost, margin, byok }: Pick<Generation, 'cost' | 'margin' | 'byok'>): Owed {
    return { cost: cost + margin - this.#paid, byok }
  }

  /** The cost of an answer with these tokens. */
  costAt({ target: { endpoint }, bound }: TriedEndpoint, tokens: TokenCounts): PicoUsd {
    const took = billed(endpoint.prices, tokens, this.#tally.result().extras, bound)
    return costOf(endpoint.prices, took.tokens, took.extras)
  }

  #chargeOf({ target, bound }: TriedEndpoint, seen: boolean): Charge {
    return chargeFor(target.endpoint.prices, this.#tally.result(), this.#promptEstimate, bound, seen)
  }

  /** The metered request, whether it succeeded or not. */
  close(): Generation {
    const [opening, context] = [this.#opening, this.#answering]
    const tally = this.#tally.result()
    const charge = context && this.#chargeOf(context, context.seen)
    if (context && tally.usageMismatch !== undefined)
      this.#deps.onUsageMismatch?.(context.target.endpoint.id, tally.usageMismatch)
    return {
      // Each by its name: an object that is spread and then added to is built several times over.
      requestId: opening.requestId,
      caller: opening.caller,
      sessionId: opening.sessionId,
      app: opening.app,
      traceParent: opening.traceParent,
      protocol: opening.protocol,
      streamed: opening.streamed,
      requestedModel: opening.requestedModel,
      candidateModels: opening.candidateModels,
      preset: opening.preset,
      region: opening.region,
      contentFindings: opening.contentFindings,
      id: this.id,
      createdAt: this.createdAt,
      modelId: context?.target.model.id,
      endpointId: context?.target.endpoint.id,
      provider: context?.target.endpoint.provider,
      upstreamId: tally.upstreamId,
      upstreamModel: tally.upstreamModel,
      byok: (context ?? this.#lost).byok,
      tokens: charge?.tokens ?? noTokens,
      extras: charge?.extras,
      unpriced: context && charge && unpricedOf(context, charge),
      estimated: charge?.estimated ?? false,
      capped: charge?.capped ?? false,
      cost: charge?.cost ?? 0n,
      chargedPrices: context && charge && chargedPrices(context.target.endpoint.prices, charge),
      cacheSaving: context && charge && cacheSavingOf(context.target.endpoint.prices, charge),
      margin: (charge?.margin ?? 0n) + this.#lost.cost,
      finish: context?.failed ? 'error' : tally.finish,
      nativeFinish: tally.nativeFinish,
      toolCalls: tally.toolCalls,
      latencyMs: tally.firstTokenAt === undefined ? undefined : tally.firstTokenAt - this.createdAt,
      durationMs: this.#deps.now() - this.createdAt,
      outcome: this.#isRefused() ? 'refused' : this.#outcome,
      attempts: this.#attempts,
      notAsked: this.#planned && notAsked(this.#planned, this.#attempts, this.#forbidden),
      orderedBy: this.#planned?.plan.orderedBy,
      pace: opening.streamed ? this.#tally.paceOf(charge?.tokens.completion ?? 0) : undefined,
      cause: this.#cause,
      span: this.#span,
    }
  }

  /** Money, or a rule that came late, kept it from every endpoint. */
  #isRefused(): boolean {
    return this.#outcome === 'failed' && this.#attempts.length === 0 && this.#cause !== undefined
  }

  #note(endpointId: string, provider: string, outcome: AttemptNote['outcome'], reason?: string): void {
    const note: AttemptNote = { endpointId, provider, outcome, durationMs: this.#deps.now() - this.#askedAt }
    if (reason !== undefined && outcome !== 'client_left') note.reason = reason
    if (this.#connectMs !== undefined) note.connectMs = this.#connectMs
    if (this.#firstByteMs !== undefined) note.firstByteMs = this.#firstByteMs
    if (this.#attemptSpanId !== undefined) note.spanId = this.#attemptSpanId
    this.#attempts.push(note)
  }

  /** Counts a failure against the endpoint. A fault in the request itself is not counted. */
  #failed({ endpoint, model }: Target, failure: AttemptFailure): void {
    if (!failure.endpointsFault) return
    this.#pass?.failed(failure)
    const outcome = failure.kind === 'rate_limited' ? 'rate_limited' : 'upstream_error'
    this.#deps.measure({ endpointId: endpoint.id, modelId: model.id, at: this.#deps.now(), outcome })
  }
}

import type { Endpoint } from '#catalogue/index/model.ts'
import type { Measurement } from '#catalogue/measurements/measurement.ts'
import { type AnswerEvent, type TokenCounts, zeroTokens } from '#chat/events.ts'
import type { NewId } from '#platform/core/id.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { newSpan, newSpanId, readTraceParent, type SpanContext, writeTraceParent } from '#platform/net/trace-parent.ts'
import type { Cause, Generation } from '#spend/ledger/generation.ts'
import type { AttemptFailure } from '../attempt/failure/failure.ts'
import type { AttemptPermit } from '../plan/circuits.ts'
import type { Target } from '../plan/plan.ts'
import { chargedPrices } from '../pricing/charged-prices.ts'
import { cacheSavingOf } from '../pricing/cost.ts'
import { AnswerCounter } from './answer-counter.ts'
import { answerMeasurement } from './answer-measurement.ts'
import { AttemptNotes } from './attempt-notes.ts'
import { type Charge, chargeFor, costOfAnswer } from './charge.ts'
import { toCause } from './failure-cause.ts'
import { generatedTokensBound, needsUsage } from './generated-tokens.ts'
import type { RequestFacts } from './request-facts.ts'
import { type AnsweredAttempt, type AttemptEnd, findUnpriced, type TriedEndpoint } from './tried-endpoint.ts'
import { UnconfirmedLoss } from './unconfirmed-loss.ts'

export type RecordDeps = {
  measure: (measurement: Measurement) => void
  /** The endpoint's fastest answer in tokens per second; null if there are too few measurements. */
  speeds: (endpoint: Pick<Endpoint, 'id'>) => { fastest: number | null }
  /** Called if the usage that an endpoint reports contradicts itself. The larger counts are billed. */
  onUsageMismatch?: ((endpointId: string, mismatch: string) => void) | undefined
  /** Whether each request gets its own trace span. */
  tracing: boolean
  now: () => number
  /** A monotonic clock in whole milliseconds, for durations. */
  elapsed: () => number
  newId: NewId
}

/**
 * The record of one request: its attempts with their outcomes, and the usage of its answer. Reports to circuits and
 * measurements while it is open, and is closed exactly once.
 */
export class RequestRecord {
  readonly id: string
  readonly createdAt: number
  /** Notes of the plan and of the attempts. */
  readonly attempts: AttemptNotes
  readonly unconfirmedLoss = new UnconfirmedLoss()
  /** By the monotonic clock, as the times of attempts and answers. */
  readonly #startedAt: number
  readonly #deps: RecordDeps
  readonly #facts: RequestFacts
  readonly #promptEstimate: () => number
  #counter: AnswerCounter
  #permit: AttemptPermit | undefined
  /** The attempt whose answer is charged, and its end: it answered, or was in flight when the client disconnected. */
  #chargedAttempt: (TriedEndpoint & { hasFailed: boolean; end: AttemptEnd }) | undefined
  #outcome: Generation['outcome'] = 'failed'
  #cause: Cause | undefined
  readonly #span: SpanContext | undefined

  /** @param promptEstimate estimates the tokens of the prompt, if no upstream counts them. */
  constructor(deps: RecordDeps, facts: RequestFacts, promptEstimate: () => number) {
    this.#deps = deps
    this.#facts = facts
    this.#promptEstimate = promptEstimate
    this.id = `gen-${deps.newId()}`
    this.createdAt = deps.now()
    this.#startedAt = deps.elapsed()
    this.attempts = new AttemptNotes(deps.elapsed)
    this.#counter = new AnswerCounter(deps.elapsed)
    this.#span = deps.tracing ? newSpan(deps.newId, facts.traceParent) : undefined
  }

  /** The parent span for the upstream: the current attempt, or the client's span if tracing is off. */
  get traceParent(): string | undefined {
    const span = this.#span ?? readTraceParent(this.#facts.traceParent)
    return span && writeTraceParent({ ...span, spanId: this.attempts.spanId ?? span.spanId })
  }

  /** @param permit is notified of the attempt's outcome. */
  startAttempt(target: Target, permit: AttemptPermit): void {
    this.#permit = permit
    this.attempts.start(target, this.#span && newSpanId(this.#deps.newId))
    this.#counter = new AnswerCounter(this.#deps.elapsed)
  }

  readonly count = (events: AnswerEvent[]): void => {
    // The first byte counts as success, because a slow client is not the endpoint's fault.
    this.#permit?.reportAnswer()
    this.#counter.count(events)
  }

  /** Counts a piece of text that was relayed without being read. */
  readonly countText = (type: 'text' | 'reasoning', bytes: number): void => {
    this.#permit?.reportAnswer()
    this.#counter.countText(type, bytes)
  }

  /** Notes why the request failed. The first cause counts. A disconnect of the client is not a cause. */
  noteCause(error: unknown): void {
    const cause = toCause(error)
    if (cause.kind !== 'client_closed_request') this.#cause ??= cause
  }

  /**
   * Ends an attempt of which nothing reached the client. If the request was sent, the provider can bill all of it,
   * because its result is unknown.
   */
  failAttempt(tried: TriedEndpoint, failure: AttemptFailure, clientLeft: boolean): void {
    const { target, byok } = tried
    this.attempts.add(target.endpoint, clientLeft ? 'client_left' : failure.kind, failure)
    if (clientLeft) {
      this.#outcome = 'client_left'
      if (failure.wasSent) this.#chargedAttempt = { ...tried, hasFailed: false, end: this.#unfinishedEnd() }
      return
    }
    this.#countFailure(target, failure)
    if (!failure.wasSent) return
    const { cost, margin } = this.#computeCharge(tried, this.#unfinishedEnd())
    this.attempts.noteUnconfirmed(cost + margin)
    this.unconfirmedLoss.add(cost + margin, byok)
  }

  /** Ends an attempt that answered, completely or up to its failure. */
  finishAttempt(tried: TriedEndpoint, { failure, clientLeft, isFullyRead }: AnsweredAttempt): void {
    const { target } = tried
    const end = { isFullyRead, hasEnded: failure === undefined, at: this.#deps.elapsed() }
    this.#chargedAttempt = { ...tried, hasFailed: failure !== undefined && !clientLeft, end }
    if (clientLeft) {
      this.#outcome = 'client_left'
      this.attempts.add(target.endpoint, 'client_left', failure)
      return
    }
    if (failure) {
      this.#outcome = 'failed'
      this.attempts.add(target.endpoint, 'broke', failure)
      return this.#countFailure(target, failure)
    }
    this.#outcome = 'success'
    this.attempts.add(target.endpoint, 'answered')
    this.#permit?.reportAnswer()
    const times = { at: this.#deps.now(), sentAt: this.attempts.startedAt, endedAt: end.at }
    this.#deps.measure(answerMeasurement(tried, this.#counter, this.#facts.streamed, times))
  }

  /** The cost of an answer with these tokens. */
  costAt({ target: { endpoint }, bound }: TriedEndpoint, tokens: TokenCounts): PicoUsd {
    return costOfAnswer(endpoint.prices, tokens, this.#counter.result(), bound, this.#promptEstimate)
  }

  /** Whether the current attempt must be read after its client disconnected. */
  needsUsage(tried: TriedEndpoint): boolean {
    return needsUsage(tried, this.#deps.speeds(tried.target.endpoint).fastest)
  }

  #unfinishedEnd(): AttemptEnd {
    return { isFullyRead: false, hasEnded: false, at: this.#deps.elapsed() }
  }

  #computeCharge(tried: TriedEndpoint, end: AttemptEnd): Charge {
    const { target, bound } = tried
    const tally = this.#counter.result()
    // The final count of the provider needs no bound.
    const needsBound = !tally.reported || !tally.isFinal
    return chargeFor(target.endpoint.prices, tally, this.#promptEstimate, bound, {
      isFullyRead: end.isFullyRead,
      generated: needsBound
        ? generatedTokensBound(tried, end, tally, this.attempts.startedAt, this.#deps.speeds(target.endpoint).fastest)
        : undefined,
    })
  }

  /** Whether the same budgets count the whole charge, so that a correction can reduce it in all of them. */
  get hasOneCredential(): boolean {
    return this.unconfirmedLoss.hasOneCredential(this.#chargedAttempt?.byok)
  }

  /** The metered request, whether it succeeded or not. */
  close(): Generation {
    const facts = this.#facts
    const attempt = this.#chargedAttempt
    const tally = this.#counter.result()
    const charge = attempt && this.#computeCharge(attempt, attempt.end)
    if (charge) this.attempts.noteUnconfirmed(charge.margin)
    if (attempt && tally.usageMismatch !== undefined)
      this.#deps.onUsageMismatch?.(attempt.target.endpoint.id, tally.usageMismatch)
    return {
      // Every field is listed, because a spread followed by additions builds the object several times.
      requestId: facts.requestId,
      caller: facts.caller,
      sessionId: facts.sessionId,
      tags: facts.tags,
      app: facts.app,
      traceParent: facts.traceParent,
      protocol: facts.protocol,
      streamed: facts.streamed,
      requestedModel: facts.requestedModel,
      candidateModels: facts.candidateModels,
      preset: facts.preset,
      region: facts.region,
      contentFindings: facts.contentFindings,
      id: this.id,
      createdAt: this.createdAt,
      modelId: attempt?.target.model.id,
      endpointId: attempt?.target.endpoint.id,
      provider: attempt?.target.endpoint.provider,
      upstreamId: tally.upstreamId,
      upstreamModel: tally.upstreamModel,
      byok: (attempt ?? this.unconfirmedLoss).byok,
      tokens: charge?.tokens ?? zeroTokens,
      extras: charge?.extras,
      unpriced: attempt && charge && findUnpriced(attempt, charge),
      estimated: charge?.estimated ?? false,
      capped: charge?.capped ?? false,
      cost: charge?.cost ?? 0n,
      chargedPrices: attempt && charge && chargedPrices(attempt.target.endpoint.prices, charge),
      cacheSaving: attempt && charge && cacheSavingOf(attempt.target.endpoint.prices, charge),
      margin: (charge?.margin ?? 0n) + this.unconfirmedLoss.cost,
      chargedBudgets: undefined,
      hasCostLookup:
        (tally.upstreamId !== undefined && attempt?.target.endpoint.compatibility?.costLookup !== undefined) ||
        undefined,
      finish: attempt?.hasFailed ? 'error' : tally.finish,
      nativeFinish: tally.nativeFinish,
      toolCalls: tally.toolCalls,
      latencyMs: tally.firstTokenAt === undefined ? undefined : tally.firstTokenAt - this.#startedAt,
      durationMs: this.#deps.elapsed() - this.#startedAt,
      outcome: this.#isRefused() ? 'refused' : this.#outcome,
      attempts: this.attempts.notes,
      notAsked: this.attempts.skipped,
      orderedBy: this.attempts.orderedBy,
      pace: facts.streamed ? this.#counter.paceOf(charge?.tokens.completion ?? 0) : undefined,
      cause: this.#cause,
      span: this.#span,
    } satisfies Record<keyof Generation, unknown>
  }

  /** Whether a limit or a changed guardrail prevented every attempt. */
  #isRefused(): boolean {
    return this.#outcome === 'failed' && this.attempts.notes.length === 0 && this.#cause !== undefined
  }

  /** Counts a failure against the endpoint. A fault in the request itself is not counted. */
  #countFailure({ endpoint, model }: Target, failure: AttemptFailure): void {
    if (!failure.isCausedByEndpoint) return
    this.#permit?.reportFailure(failure)
    const outcome = failure.kind === 'rate_limited' ? 'rate_limited' : 'upstream_error'
    this.#deps.measure({ endpointId: endpoint.id, modelId: model.id, at: this.#deps.now(), outcome })
  }
}

import { zeroTokens } from '#chat/events.ts'
import type { NewId } from '#platform/core/id.ts'
import { newSpan, newSpanId, readTraceParent, type SpanContext, writeTraceParent } from '#platform/net/trace-parent.ts'
import type { Cause, Generation } from '#spend/ledger/generation.ts'
import type { AttemptFailure } from '../attempt/failure/failure.ts'
import type { AttemptPermit } from '../plan/circuits.ts'
import type { Target } from '../plan/plan.ts'
import { chargedPrices } from '../pricing/charged-prices.ts'
import { cacheSavingOf } from '../pricing/cost.ts'
import { AttemptNotes } from './attempt-notes.ts'
import { AttemptRecord, type AttemptRecordDeps } from './attempt-record.ts'
import { UnconfirmedLoss } from './charge/unconfirmed-loss.ts'
import { toCause } from './failure-cause.ts'
import type { RequestFacts } from './request-facts.ts'
import { ResponseCounter } from './response-counter.ts'
import { type AttemptEnd, findUnpriced, type ResponseEnd, type TriedEndpoint } from './tried-endpoint.ts'

export type RecordDeps = AttemptRecordDeps & {
  /** Called if the usage that an endpoint reports contradicts itself. The larger counts are billed. */
  onUsageMismatch?: ((endpointId: string, mismatch: string) => void) | undefined
  /** Whether each request gets its own trace span. */
  tracing: boolean
  newId: NewId
}

/** The end of an attempt of which nothing reached the client. */
type FailedAttempt = { failure: AttemptFailure; hasClientLeft: boolean }

type ChargedResponse = { attempt: AttemptRecord; tried: TriedEndpoint; hasFailed: boolean; end: AttemptEnd }

/**
 * The record of one request: its attempts with their outcomes, and the attempt whose response is charged. It is closed exactly
 * once.
 */
export class RequestRecord {
  readonly id: string
  readonly createdAt: number
  /** Notes of the plan and of the attempts. */
  readonly attempts: AttemptNotes
  readonly unconfirmedLoss = new UnconfirmedLoss()
  /** The start by the monotonic clock, which also measures the times of attempts and responses. */
  readonly #startedAt: number
  readonly #deps: RecordDeps
  readonly #facts: RequestFacts
  readonly #promptEstimate: () => number
  #latestAttempt: AttemptRecord | undefined
  /** The endpoint whose response is charged, and its end: it answered, or was in flight when the client disconnected. */
  #charged: ChargedResponse | undefined
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
    this.#span = deps.tracing ? newSpan(deps.newId, facts.traceParent) : undefined
  }

  /** The parent span for the upstream: the current attempt, or the client's span if tracing is off. */
  get traceParent(): string | undefined {
    const span = this.#span ?? readTraceParent(this.#facts.traceParent)
    return span && writeTraceParent({ ...span, spanId: this.attempts.spanId ?? span.spanId })
  }

  /** Starts an attempt. The record gets it back at its end. @param permit is notified of the attempt's outcome. */
  startAttempt(target: Target, permit: AttemptPermit): AttemptRecord {
    this.attempts.start(target, this.#span && newSpanId(this.#deps.newId))
    const { startedAt } = this.attempts
    const start = { target, permit, startedAt, isStreamed: this.#facts.streamed, promptEstimate: this.#promptEstimate }
    this.#latestAttempt = new AttemptRecord(this.#deps, start)
    return this.#latestAttempt
  }

  /** Notes why the request failed. The first cause counts. A disconnect of the client is not a cause. */
  noteCause(error: unknown): void {
    const cause = toCause(error)
    if (cause.kind !== 'client_closed_request') this.#cause ??= cause
  }

  /**
   * Ends an attempt of which nothing reached the client. The provider bills the usage that it reported with its error. It can bill
   * everything if the result of the request is unknown, or the error followed content.
   */
  failAttempt(attempt: AttemptRecord, tried: TriedEndpoint, { failure, hasClientLeft }: FailedAttempt): void {
    const { target, byok } = tried
    this.attempts.add(target.endpoint, hasClientLeft ? 'client_left' : failure.kind, failure)
    if (hasClientLeft) {
      this.#outcome = 'client_left'
      if (failure.wasSent) this.#charged = { attempt, tried, hasFailed: false, end: attempt.createUnfinishedEnd() }
      return
    }
    attempt.reportFailure(failure)
    attempt.countFailure(failure)
    // A stream that is read for a whole response can fail after content.
    const hasContent = attempt.tally.firstTokenAt !== undefined
    if (!failure.wasSent && !failure.reportedUsage && !hasContent) return
    const { cost, margin } = attempt.chargeAt(tried, attempt.createUnfinishedEnd())
    this.attempts.noteUnconfirmed(cost + margin)
    this.unconfirmedLoss.add(cost + margin, byok)
  }

  /** Ends an attempt that answered, completely or up to its failure. */
  finishAttempt(attempt: AttemptRecord, tried: TriedEndpoint, responseEnd: ResponseEnd): void {
    const { failure, hasClientLeft, isFullyRead } = responseEnd
    const { target } = tried
    const end = { isFullyRead, hasEnded: failure === undefined, at: this.#deps.elapsed() }
    this.#charged = { attempt, tried, hasFailed: failure !== undefined && !hasClientLeft, end }
    if (hasClientLeft) {
      this.#outcome = 'client_left'
      this.attempts.add(target.endpoint, 'client_left', failure)
      return
    }
    if (failure) {
      this.#outcome = 'failed'
      this.attempts.add(target.endpoint, 'broke', failure)
      attempt.countFailure(failure)
      return attempt.reportFailure(failure)
    }
    this.#outcome = 'success'
    this.attempts.add(target.endpoint, 'answered')
    attempt.reportSuccess(tried, end)
  }

  /** Whether the same budgets count the whole charge, so that a correction can reduce it in all of them. */
  get countsInSameBudgets(): boolean {
    return this.unconfirmedLoss.countsInSameBudgets(this.#charged?.tried.byok)
  }

  /** The metered request, whether it succeeded or not. */
  close(): Generation {
    const facts = this.#facts
    const charged = this.#charged
    const tried = charged?.tried
    const endpoint = tried?.target.endpoint
    const tally = this.#latestAttempt?.tally ?? new ResponseCounter(this.#deps.elapsed).result()
    const charge = charged?.attempt.chargeAt(charged.tried, charged.end)
    if (charge) this.attempts.noteUnconfirmed(charge.margin)
    if (endpoint && tally.usageMismatch !== undefined) this.#deps.onUsageMismatch?.(endpoint.id, tally.usageMismatch)
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
      modelId: tried?.target.model.id,
      endpointId: endpoint?.id,
      provider: endpoint?.provider,
      upstreamId: tally.upstreamId,
      upstreamModel: tally.upstreamModel,
      byok: (tried ?? this.unconfirmedLoss).byok,
      tokens: charge?.tokens ?? zeroTokens,
      extras: charge?.extras,
      unpriced: tried && charge && findUnpriced(tried, charge),
      estimated: charge?.isEstimated ?? false,
      capped: charge?.isCapped ?? false,
      cost: charge?.cost ?? 0n,
      chargedPrices: endpoint && charge && chargedPrices(endpoint.prices, charge),
      cacheSaving: endpoint && charge && cacheSavingOf(endpoint.prices, charge),
      margin: (charge?.margin ?? 0n) + this.unconfirmedLoss.cost,
      chargedBudgets: undefined,
      hasCostLookup: (tally.upstreamId !== undefined && endpoint?.compatibility?.costLookup !== undefined) || undefined,
      finish: charged?.hasFailed ? 'error' : tally.finish,
      nativeFinish: tally.nativeFinish,
      toolCalls: tally.toolCalls,
      latencyMs: tally.firstTokenAt === undefined ? undefined : tally.firstTokenAt - this.#startedAt,
      durationMs: this.#deps.elapsed() - this.#startedAt,
      outcome: this.#isRefused() ? 'refused' : this.#outcome,
      attempts: this.attempts.notes,
      notAsked: this.attempts.skippedEndpoints,
      orderedBy: this.attempts.orderedBy,
      pace: facts.streamed ? this.#latestAttempt?.paceOf(charge?.tokens.completion ?? 0) : undefined,
      cause: this.#cause,
      span: this.#span,
    } satisfies Record<keyof Generation, unknown>
  }

  /** Whether a limit or a changed guardrail prevented every attempt. */
  #isRefused(): boolean {
    return this.#outcome === 'failed' && this.attempts.notes.length === 0 && this.#cause !== undefined
  }
}

import type { Endpoint } from '#catalogue/index/model.ts'
import type { Measurement } from '#catalogue/measurements/measurement.ts'
import type { CompletionEvent, TokenCounts } from '#chat/events.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { AttemptFailure } from '../attempt/failure/failure.ts'
import type { AttemptPermit } from '../plan/circuits.ts'
import type { Target } from '../plan/plan.ts'
import { type BilledRequest, type Charge, computeCharge, computeResponseCost } from './charge/charge.ts'
import { generatedTokensBound, needsUsage } from './charge/generated-tokens.ts'
import { ResponseCounter, type ResponseTally } from './response-counter.ts'
import { createResponseMeasurement } from './response-measurement.ts'
import type { AttemptEnd, TriedEndpoint } from './tried-endpoint.ts'

export type AttemptRecordDeps = {
  measure: (measurement: Measurement) => void
  /** The endpoint's fastest response in tokens per second; null if there are too few measurements. */
  speeds: (endpoint: Pick<Endpoint, 'id'>) => { fastest: number | null }
  now: () => number
  /** A monotonic clock in whole milliseconds, for durations. */
  elapsed: () => number
}

type AttemptStart = {
  target: Target
  /** Is notified of the attempt's outcome. */
  permit: AttemptPermit
  /** By the monotonic clock. */
  startedAt: number
  /** Whether the client gets a stream. */
  isStreamed: boolean
  /** Estimates the tokens of the prompt, if no upstream counts them. */
  promptEstimate: () => number
}

/** Counts the response of one attempt while it is relayed, and knows what it costs. Reports to the circuit and to measurements. */
export class AttemptRecord {
  readonly #deps: AttemptRecordDeps
  readonly #start: AttemptStart
  readonly #counter: ResponseCounter

  constructor(deps: AttemptRecordDeps, start: AttemptStart) {
    this.#deps = deps
    this.#start = start
    this.#counter = new ResponseCounter(deps.elapsed)
  }

  readonly count = (events: CompletionEvent[]): void => {
    // The first byte counts as success, because a slow client is not the endpoint's fault.
    this.#start.permit.reportFirstByte()
    this.#counter.count(events)
  }

  /** Counts a piece of text that was relayed without being read. */
  readonly countText = (type: 'text' | 'reasoning', bytes: number): void => {
    this.#start.permit.reportFirstByte()
    this.#counter.countText(type, bytes)
  }

  /** The endpoint that is tried. */
  get target(): Target {
    return this.#start.target
  }

  /** The counts so far. */
  get tally(): Readonly<ResponseTally> {
    return this.#counter.result()
  }

  /** The distribution of the tokens over time; undefined for a response that arrived at once. */
  paceOf(tokens: number): ReturnType<ResponseCounter['paceOf']> {
    return this.#counter.paceOf(tokens)
  }

  /** The cost of a response with these tokens. */
  costAt(tried: TriedEndpoint, tokens: TokenCounts): PicoUsd {
    return computeResponseCost(this.#toBilledRequest(tried), tokens, this.tally)
  }

  /** Whether the response must be read after its client disconnected. */
  needsUsage(tried: TriedEndpoint): boolean {
    return needsUsage(tried, this.#fastest)
  }

  /** An end at this moment, before that of the response. */
  createUnfinishedEnd(): AttemptEnd {
    return { isFullyRead: false, hasEnded: false, at: this.#deps.elapsed() }
  }

  /** The charge for the response, if it ended like this. */
  chargeAt(tried: TriedEndpoint, end: AttemptEnd): Charge {
    const { tally } = this
    // The final count of the provider needs no bound.
    const needsBound = !tally.reportedTokens || !tally.isFinal
    const generatedTokens = needsBound
      ? generatedTokensBound(tried, end, tally, this.#start.startedAt, this.#fastest)
      : undefined
    return computeCharge(this.#toBilledRequest(tried), tally, { isFullyRead: end.isFullyRead, generatedTokens })
  }

  /** Counts a complete response for its endpoint. */
  reportSuccess(tried: TriedEndpoint, end: AttemptEnd): void {
    this.#start.permit.reportFirstByte()
    const times = { at: this.#deps.now(), sentAt: this.#start.startedAt, endedAt: end.at }
    this.#deps.measure(createResponseMeasurement(tried, this.#counter, this.#start.isStreamed, times))
  }

  /** Counts the usage that the provider reported with an error, as the final one. */
  countFailure({ reportedUsage, message }: AttemptFailure): void {
    if (reportedUsage) this.#counter.count([{ type: 'error', message, status: undefined }, reportedUsage])
  }

  /** Counts a failure against its endpoint. A fault in the request itself is not counted. */
  reportFailure(failure: AttemptFailure): void {
    const { endpoint, model } = this.target
    if (!failure.isCausedByEndpoint) return
    this.#start.permit.reportFailure(failure)
    const outcome = failure.kind === 'rate_limited' ? 'rate_limited' : 'upstream_error'
    this.#deps.measure({ endpointId: endpoint.id, modelId: model.id, at: this.#deps.now(), outcome })
  }

  #toBilledRequest({ target, bound }: TriedEndpoint): BilledRequest {
    return { prices: target.endpoint.prices, bound, promptEstimate: this.#start.promptEstimate }
  }

  get #fastest(): number | null {
    return this.#deps.speeds(this.target.endpoint).fastest
  }
}

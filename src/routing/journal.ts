import type { AnswerEvent } from '#chat/events.ts'
import { isoTime } from '#lib/clock.ts'
import type { FaultKind } from '#lib/fault.ts'
import type { NewId } from '#lib/id.ts'
import type { Measurement } from '#measure/measurement.ts'
import type { AttemptNote, Generation } from '#usage/generation.ts'
import type { Shut } from './circuit.ts'
import type { Pass } from './circuits.ts'
import { costOf } from './cost.ts'
import type { AttemptFailure } from './failure.ts'
import type { Target } from './plan.ts'
import { createTally } from './tally.ts'

type JournalDeps = {
  measure: (measurement: Measurement) => void
  now: () => number
  newId: NewId
}

/** What is known before anything is asked. */
export type Opening = Pick<
  Generation,
  | 'requestId'
  | 'caller'
  | 'sessionId'
  | 'traceParent'
  | 'protocol'
  | 'streamed'
  | 'requestedModel'
  | 'candidateModels'
  | 'preset'
  | 'region'
  | 'contentFindings'
>

/**
 * Keeps account of one request: every attempt and what became of it, and what the answer took. Tells circuits and
 * measurements as it goes, and is closed exactly once.
 */
export class Journal {
  readonly id: string
  readonly createdAt: number
  readonly #deps: JournalDeps
  readonly #opening: Opening
  readonly #promptCharacters: number
  readonly #attempts: AttemptNote[] = []
  #tally: ReturnType<typeof createTally>
  #askedAt = 0
  #pass: Pass | undefined
  #answering: { target: Target; byok: boolean; failed: boolean } | undefined
  #outcome: Generation['outcome'] = 'failed'

  /** @param promptCharacters what the estimate of the prompt goes by, should no upstream count it. */
  constructor(deps: JournalDeps, opening: Opening, promptCharacters: number) {
    this.#deps = deps
    this.#opening = opening
    this.#promptCharacters = promptCharacters
    this.id = `gen-${deps.newId()}`
    this.createdAt = deps.now()
    this.#tally = createTally(deps.now)
  }

  /** @param pass is told how it goes. */
  asked(pass: Pass): void {
    this.#pass = pass
    this.#askedAt = this.#deps.now()
    this.#tally = createTally(this.#deps.now)
  }

  readonly count = (events: AnswerEvent[]): void => {
    // The first byte is success: how fast the client reads on is not the endpoint's affair.
    this.#pass?.answered()
    this.#tally.count(events)
  }

  /** Its circuit kept the endpoint from being asked. */
  shutOut({ endpoint }: Target, { reason, until }: Shut): void {
    const why = `${reason} until ${isoTime(until)}`
    this.#attempts.push({
      endpointId: endpoint.id,
      provider: endpoint.provider,
      outcome: 'circuit_open',
      durationMs: 0,
      reason: why,
    })
  }

  /** The request cannot be put in the endpoint's words, or there is no way to it any more: nothing was sent. */
  couldNotAsk({ endpoint }: Target, why: FaultKind): void {
    this.#note(endpoint.id, endpoint.provider, why)
  }

  /**
   * The attempt gave nothing that reached the client. One that left when its prompt was on the way already has used it:
   * no provider gives that back.
   */
  gaveNothing(target: Target, byok: boolean, failure: AttemptFailure, clientLeft: boolean): void {
    const { id, provider } = target.endpoint
    this.#note(id, provider, clientLeft ? 'client_left' : failure.kind)
    if (!clientLeft) return this.#failed(target, failure)
    this.#outcome = 'client_left'
    if (failure.sent) this.#answering = { target, byok, failed: false }
  }

  /** The attempt answered, whole or up to `failure`. */
  gaveAnswer(target: Target, byok: boolean, failure: AttemptFailure | undefined, clientLeft: boolean): void {
    const { id, provider } = target.endpoint
    this.#answering = { target, byok, failed: failure !== undefined && !clientLeft }
    this.#outcome = clientLeft ? 'client_left' : failure ? 'failed' : 'success'
    this.#note(id, provider, clientLeft ? 'client_left' : failure ? 'broke' : 'answered')
    if (clientLeft) return
    if (failure) return this.#failed(target, failure)
    this.#pass?.answered()
    this.#measureAnswer(target)
  }

  /** What was metered for the request, whatever became of it. */
  close(): Generation {
    const [opening, answering] = [this.#opening, this.#answering]
    const tally = this.#tally.result(answering ? this.#promptCharacters : 0)
    return {
      // Each by its name: an object that is spread and then added to is built several times over.
      requestId: opening.requestId,
      caller: opening.caller,
      sessionId: opening.sessionId,
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
      modelId: answering?.target.model.id,
      endpointId: answering?.target.endpoint.id,
      provider: answering?.target.endpoint.provider,
      upstreamId: tally.upstreamId,
      upstreamModel: tally.upstreamModel,
      byok: answering?.byok ?? false,
      tokens: tally.tokens,
      extras: tally.extras,
      estimated: answering !== undefined && tally.estimated,
      cost: answering ? costOf(answering.target.endpoint.prices, tally.tokens, tally.extras) : 0n,
      finish: answering?.failed ? 'error' : tally.finish,
      nativeFinish: tally.nativeFinish,
      toolCalls: tally.toolCalls,
      latencyMs: tally.firstTokenAt === undefined ? undefined : tally.firstTokenAt - this.createdAt,
      durationMs: this.#deps.now() - this.createdAt,
      outcome: this.#outcome,
      attempts: this.#attempts,
    }
  }

  #note(endpointId: string, provider: string, outcome: AttemptNote['outcome']): void {
    this.#attempts.push({ endpointId, provider, outcome, durationMs: this.#deps.now() - this.#askedAt })
  }

  /** What was wrong with the request says nothing about the endpoint. */
  #failed({ endpoint, model }: Target, failure: AttemptFailure): void {
    if (!failure.endpointsFault) return
    this.#pass?.failed(failure)
    const outcome = failure.kind === 'rate_limited' ? 'rate_limited' : 'upstream_error'
    this.#deps.measure({ endpointId: endpoint.id, modelId: model.id, at: this.#deps.now(), outcome })
  }

  #measureAnswer({ endpoint, model }: Target): void {
    const { firstTokenAt, tokens, finish } = this.#tally.result(0)
    const at = this.#deps.now()
    this.#deps.measure({
      endpointId: endpoint.id,
      modelId: model.id,
      at,
      outcome: 'success',
      // A whole answer comes at once: it says nothing of the first token, nor of the speed of the others.
      ...(this.#opening.streamed &&
        firstTokenAt && { firstTokenMs: firstTokenAt - this.#askedAt, generationMs: at - firstTokenAt }),
      promptTokens: tokens.prompt,
      completionTokens: tokens.completion,
      calledTools: finish === 'tool_calls',
    })
  }
}

import { isoTime } from '#platform/core/clock.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { PastRequest } from '#spend/ledger/past-requests.ts'
import type { Effect, PastOutcome } from './replay-effects.ts'
import type { Replay, TouchedRequest } from './replay-response.ts'
import { type Undecidable, undecidableReasons } from './replay-texts.ts'

type Sum = { requests: number; cost: PicoUsd }
/** The sums of one model, with the number of requests by effect. */
type ModelSum = Sum & Record<Effect['outcome'], number>

type ReplayResult = Omit<Replay, 'guardrail_id' | 'from' | 'to' | 'notes'>

/**
 * Adds up the outcomes of requests, which come in order of time. Stores only sums and the newest affected requests,
 * so its memory does not grow with the number of requests.
 */
export class ReplayTally {
  readonly #maxListed: number
  readonly #all: ModelSum = { ...emptySum }
  readonly #models = new Map<string, ModelSum>()
  readonly #rules = new Map<string, Effect & Sum>()
  readonly #undecidableCounts = new Map<Undecidable, number>()
  readonly #newest: TouchedRequest[] = []
  #affected = 0

  /** @param maxListed the number of affected requests in the result. */
  constructor(maxListed: number) {
    this.#maxListed = maxListed
  }

  add(past: PastRequest, { effects, undecidable }: PastOutcome): void {
    const model = modelOf(past)
    this.#addToModels(past, model, effects)
    this.#addToRules(past, effects)
    for (const rule of undecidable) this.#undecidableCounts.set(rule, (this.#undecidableCounts.get(rule) ?? 0) + 1)
    if (effects.length === 0) return
    this.#affected++
    this.#newest.push(toTouchedRequest(past, model, effects))
    // Trimmed in batches, because removing one element at a time would move all the others.
    if (this.#newest.length > 2 * this.#maxListed) this.#newest.splice(0, this.#newest.length - this.#maxListed)
  }

  #addToModels({ cost }: PastRequest, model: string, effects: readonly Effect[]): void {
    const modelSum = this.#models.getOrInsertComputed(model, () => ({ ...emptySum }))
    for (const sum of [this.#all, modelSum]) {
      sum.requests++
      sum.cost += cost
      for (const { outcome } of effects) sum[outcome]++
    }
  }

  #addToRules({ cost }: PastRequest, effects: readonly Effect[]): void {
    for (const effect of effects) {
      const key = `${effect.outcome} ${effect.rule}`
      const sum = this.#rules.getOrInsertComputed(key, () => ({ ...effect, requests: 0, cost: 0n }))
      sum.requests++
      sum.cost += cost
    }
  }

  result(): ReplayResult {
    return {
      ...toModelResult(this.#all),
      by_rule: [...this.#rules.values()]
        .sort((a, b) => b.requests - a.requests)
        .map(({ cost, ...rule }) => ({ ...rule, usd: toUsd(cost) })),
      by_model: [...this.#models]
        .map(([model, sum]) => ({ model, ...toModelResult(sum) }))
        .sort((a, b) => b.would_refuse - a.would_refuse || b.requests - a.requests || (a.model < b.model ? -1 : 1)),
      touched: this.#affected,
      touched_requests: this.#newest.toReversed().slice(0, this.#maxListed),
      undecidable: [...this.#undecidableCounts].map(([rule, requests]) => ({
        rule,
        requests,
        why: undecidableReasons[rule],
      })),
    }
  }
}

const emptySum: ModelSum = { requests: 0, cost: 0n, refuse: 0, reroute: 0, redact: 0 }

function toModelResult({ requests, cost, refuse, reroute, redact }: ModelSum) {
  return { requests, usd: toUsd(cost), would_refuse: refuse, would_reroute: reroute, would_redact: redact }
}

function toTouchedRequest(
  { createdAt, cost, record }: PastRequest,
  model: string,
  effects: readonly Effect[],
): TouchedRequest {
  return { id: record.id, created_at: isoTime(createdAt), model, usd: toUsd(cost), effects: [...effects] }
}

/** The model that answered a request, or its first candidate if there was no response. */
function modelOf({ record }: PastRequest): string {
  return record.endpoint_id === null ? (record.candidate_models[0] ?? '') : record.model
}

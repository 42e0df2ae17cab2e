import { isoTime } from '#platform/core/clock.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { PastRequest } from '#spend/ledger/history.ts'
import type { Replay, TouchedRequest } from './replay-answer.ts'
import type { Undecidable } from './replay-texts.ts'

type Outcome = Replay['by_rule'][number]['outcome']
export type Effect = { outcome: Outcome; rule: string }

type Sum = { requests: number; cost: PicoUsd }
type ModelSum = Sum & Record<Outcome, number>

type ReplayResult = Omit<Replay, 'guardrail_id' | 'from' | 'to' | 'notes'>

/**
 * Adds up the outcomes of requests, which come in order of time. Stores only sums and the newest affected requests,
 * so its memory does not grow with the number of requests.
 */
export function createReplayTally(maxListed: number) {
  const all: ModelSum = { ...emptySum }
  const models = new Map<string, ModelSum>()
  const rules = new Map<string, Effect & Sum>()
  const undecidableCounts = new Map<Undecidable, number>()
  const newest: TouchedRequest[] = []
  let affected = 0

  return {
    add(past: PastRequest, effects: Effect[]): void {
      const { cost } = past
      const model = modelOf(past)
      const modelSum = models.getOrInsertComputed(model, () => ({ ...emptySum }))
      for (const sum of [all, modelSum]) {
        sum.requests++
        sum.cost += cost
        for (const { outcome } of effects) sum[outcome]++
      }
      for (const effect of effects) {
        const key = `${effect.outcome} ${effect.rule}`
        const ruleSum = rules.getOrInsertComputed(key, () => ({ ...effect, requests: 0, cost: 0n }))
        ruleSum.requests++
        ruleSum.cost += cost
      }
      if (effects.length === 0) return
      affected++
      newest.push(touchedRequest(past, model, effects))
      // Trimmed in batches, because removing one element at a time would move all the others.
      if (newest.length > 2 * maxListed) newest.splice(0, newest.length - maxListed)
    },
    countUndecidable(rule: Undecidable): void {
      undecidableCounts.set(rule, (undecidableCounts.get(rule) ?? 0) + 1)
    },
    result: (reasons: Record<Undecidable, string>): ReplayResult => ({
      ...modelResult(all),
      by_rule: [...rules.values()]
        .sort((a, b) => b.requests - a.requests)
        .map(({ cost, ...rule }) => ({ ...rule, usd: toUsd(cost) })),
      by_model: [...models]
        .map(([model, sum]) => ({ model, ...modelResult(sum) }))
        .sort((a, b) => b.would_refuse - a.would_refuse || b.requests - a.requests || (a.model < b.model ? -1 : 1)),
      touched: affected,
      touched_requests: newest.toReversed().slice(0, maxListed),
      undecidable: [...undecidableCounts].map(([rule, requests]) => ({ rule, requests, why: reasons[rule] })),
    }),
  }
}

const emptySum: ModelSum = { requests: 0, cost: 0n, refuse: 0, reroute: 0, redact: 0 }

function modelResult({ requests, cost, refuse, reroute, redact }: ModelSum) {
  return { requests, usd: toUsd(cost), would_refuse: refuse, would_reroute: reroute, would_redact: redact }
}

function touchedRequest({ createdAt, cost, record }: PastRequest, model: string, effects: Effect[]): TouchedRequest {
  return { id: record.id, created_at: isoTime(createdAt), model, usd: toUsd(cost), effects }
}

/** The model that answered a request, or its first candidate if there was no answer. */
function modelOf({ record }: PastRequest): string {
  return record.endpoint_id === null ? (record.candidate_models[0] ?? '') : record.model
}

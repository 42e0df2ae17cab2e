import { type PicoUsd, toUsd } from '#lib/pico-usd.ts'
import type { Replay } from './answer.ts'
import type { Undecidable } from './words.ts'

export type Outcome = Replay['by_rule'][number]['outcome']
export type Effect = { outcome: Outcome; rule: string }

type Sum = { requests: number; cost: PicoUsd }
type ModelSum = Sum & Record<Outcome, number>

/** Adds up what became of requests. Keeps sums only, however many requests there are. */
export function createReplayTally() {
  const all: ModelSum = { ...nothing }
  const models = new Map<string, ModelSum>()
  const rules = new Map<string, Effect & Sum>()
  const undecided = new Map<Undecidable, number>()

  return {
    add(model: string, cost: PicoUsd, effects: Effect[]): void {
      const ofModel = models.getOrInsertComputed(model, () => ({ ...nothing }))
      for (const sum of [all, ofModel]) {
        sum.requests++
        sum.cost += cost
        for (const { outcome } of effects) sum[outcome]++
      }
      for (const effect of effects) {
        const key = `${effect.outcome} ${effect.rule}`
        const ofRule = rules.getOrInsertComputed(key, () => ({ ...effect, requests: 0, cost: 0n }))
        ofRule.requests++
        ofRule.cost += cost
      }
    },
    undecided(rule: Undecidable): void {
      undecided.set(rule, (undecided.get(rule) ?? 0) + 1)
    },
    result: (reasons: Record<Undecidable, string>): Omit<Replay, 'guardrail_id' | 'from' | 'to' | 'notes'> => ({
      ...shown(all),
      by_rule: [...rules.values()]
        .sort((a, b) => b.requests - a.requests)
        .map(({ cost, ...rule }) => ({ ...rule, usd: toUsd(cost) })),
      by_model: [...models]
        .map(([model, sum]) => ({ model, ...shown(sum) }))
        .sort((a, b) => b.would_refuse - a.would_refuse || b.requests - a.requests || (a.model < b.model ? -1 : 1)),
      undecidable: [...undecided].map(([rule, requests]) => ({ rule, requests, why: reasons[rule] })),
    }),
  }
}

const nothing: ModelSum = { requests: 0, cost: 0n, refuse: 0, reroute: 0, redact: 0 }

function shown({ requests, cost, refuse, reroute, redact }: ModelSum) {
  return { requests, usd: toUsd(cost), would_refuse: refuse, would_reroute: reroute, would_redact: redact }
}

import type { CatalogueHolder } from '#catalogue/sources/catalogue-holder.ts'
import type { Config } from '#platform/config/settings.ts'
import type { PastRequest } from '#spend/ledger/past-requests.ts'
import { incapableEndpoints } from '#spend/ledger/skipped-endpoints.ts'
import { type RuleOfStage, rulesOfStage, type Stage } from '../guardrails/decide/rules.ts'
import type { GuardrailRecord } from '../guardrails/guardrail.ts'
import { type PastBudgets, PastGroupBudgets } from './past-budgets.ts'
import { findUndecidableFilters, pastContentEffect } from './past-content.ts'
import { createPastEvaluator, type IsReachable } from './past-verdict.ts'
import type { Replay } from './replay-response.ts'
import type { Undecidable } from './replay-texts.ts'

type EffectsDeps = {
  config: Pick<Config, 'zdr_vendors'>
  catalogue: Pick<CatalogueHolder, 'current'>
  isReachable?: IsReachable | undefined
}

export type Effect = Pick<Replay['by_rule'][number], 'outcome' | 'rule'>

/** The effects that rules would have had on a request. A refusal has no further effects. */
export type PastOutcome = {
  effects: readonly Effect[]
  /** The parts of the result that cannot be decided from the stored data. */
  undecidable: readonly Undecidable[]
}

const noEffect: PastOutcome = { effects: [], undecidable: [] }

/** Applies the rules of one stage, or all rules, to a request. */
type EffectFinder = (past: PastRequest) => PastOutcome

/**
 * Applies all rules of a guardrail to past requests, which must be in order of time. Every stage of rules needs a function
 * here; the compiler reports a missing one.
 * @param from the start of the replay.
 */
export function createEffectFinder(
  deps: EffectsDeps,
  guardrail: GuardrailRecord,
  budgets: PastBudgets,
  from: number,
): EffectFinder {
  const candidates = createCandidateEffectFinder(deps, guardrail)
  // In the order of evaluation of a live request.
  const findersByStage: Record<Stage, EffectFinder> = {
    region: candidates,
    model: candidates,
    endpoint: candidates,
    content: createContentEffectFinder(guardrail),
    limit: createLimitEffectFinder(budgets, new PastGroupBudgets(guardrail.policy, from)),
  }
  const finders = [...new Set(Object.values(findersByStage))]
  return (past) => {
    const effects: Effect[] = []
    const undecidable: Undecidable[] = []
    for (const findEffects of finders) {
      const found = findEffects(past)
      undecidable.push(...found.undecidable)
      if (found.effects.some(({ outcome }) => outcome === 'refuse')) return { effects: found.effects, undecidable }
      effects.push(...found.effects)
    }
    return { effects, undecidable }
  }
}

function createCandidateEffectFinder(
  { config, catalogue, isReachable }: EffectsDeps,
  guardrail: GuardrailRecord,
): EffectFinder {
  const { findModel } = catalogue.current()
  const evaluate = createPastEvaluator({ guardrail, findModel, vendors: config.zdr_vendors, isReachable })
  return ({ keyHash, userId, record }) => {
    const { candidate_models: models, endpoint_id: endpointId, region } = record
    const incapable = incapableEndpoints(record.not_asked)
    const verdict = evaluate({ models, endpointId, region, incapable, owner: { keyHash, userId } })
    switch (verdict.outcome) {
      case 'allowed':
        return noEffect
      case 'unknown':
        return { effects: [], undecidable: ['catalogue'] }
      case 'refused':
        return { effects: [{ outcome: 'refuse', rule: verdict.rule }], undecidable: [] }
      case 'rerouted':
        return { effects: [{ outcome: 'reroute', rule: verdict.rule }], undecidable: [] }
      default:
        return verdict satisfies never
    }
  }
}

function createContentEffectFinder({ policy }: GuardrailRecord): EffectFinder {
  const filters = findUndecidableFilters(policy)
  return ({ record }) => {
    const content = pastContentEffect(policy, record)
    if (content?.outcome === 'refused') return { effects: [{ outcome: 'refuse', rule: content.rule }], undecidable: [] }
    return {
      effects: content ? [{ outcome: 'redact', rule: content.rule }] : [],
      // Stored findings decide about builtin filters only: see `pastContentEffect`.
      undecidable: filters.filter((field) => field === 'content_filters' || !content),
    }
  }
}

function createLimitEffectFinder(budgets: PastBudgets, groups: PastGroupBudgets): EffectFinder {
  const admits: Record<RuleOfStage<'limit'>, (past: PastRequest) => boolean> = {
    limit_usd: (past) => budgets.chargeIfRoom(past),
    group_limits: (past) => groups.chargeIfRoom(past),
  }
  const limits = rulesOfStage('limit')
  return (past) => {
    const violated = limits.find(({ rule }) => !admits[rule](past))
    return violated ? { effects: [{ outcome: 'refuse', rule: violated.rule }], undecidable: [] } : noEffect
  }
}

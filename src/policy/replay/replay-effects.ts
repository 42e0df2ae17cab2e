import type { CatalogueHolder } from '#catalogue/sources/catalogue-holder.ts'
import type { Config } from '#platform/config/settings.ts'
import type { PastRequest } from '#spend/ledger/history.ts'
import { incapableEndpoints } from '#spend/ledger/record.ts'
import { type RuleAt, rulesAt, type Stage } from '../guardrails/decide/rules.ts'
import type { GuardrailRecord } from '../guardrails/guardrail.ts'
import { createPastGroupBudgets, type PastBudgets } from './past-budget.ts'
import { findUndecidableFilters, pastContentEffect } from './past-content.ts'
import { createPastJudge, type IsReachable } from './past-verdict.ts'
import type { Effect } from './replay-tally.ts'
import type { Undecidable } from './replay-texts.ts'

type EffectsDeps = {
  config: Pick<Config, 'zdr_vendors'>
  catalogue: Pick<CatalogueHolder, 'current'>
  isReachable?: IsReachable | undefined
}

/** Returns the effects of the rules of one stage on a request. A refusal has no further effects. */
type Judge = (past: PastRequest) => Effect[]

/**
 * Returns the effects that a policy would have had on each past request. Every stage of rules needs a function here;
 * the compiler reports a missing one.
 * @param from the start of the replay.
 */
export function createEffectFinder(
  deps: EffectsDeps,
  guardrail: GuardrailRecord,
  budgets: PastBudgets,
  from: number,
  onUndecidable: (rule: Undecidable) => void,
): Judge {
  const candidates = createCandidateJudge(deps, guardrail, onUndecidable)
  // In the order of evaluation of a live request.
  const judgesByStage: Record<Stage, Judge> = {
    region: candidates,
    model: candidates,
    endpoint: candidates,
    content: createContentJudge(guardrail, onUndecidable),
    limit: createLimitJudge(budgets, createPastGroupBudgets(guardrail.policy, from)),
  }
  const judges = [...new Set(Object.values(judgesByStage))]
  return (past) => {
    const effects: Effect[] = []
    for (const judge of judges) {
      const found = judge(past)
      if (found.some(({ outcome }) => outcome === 'refuse')) return found
      effects.push(...found)
    }
    return effects
  }
}

function createCandidateJudge(
  deps: EffectsDeps,
  guardrail: GuardrailRecord,
  onUndecidable: (rule: 'catalogue') => void,
): Judge {
  const { findModel } = deps.catalogue.current()
  const judge = createPastJudge({
    guardrail,
    findModel,
    vendors: deps.config.zdr_vendors,
    isReachable: deps.isReachable,
  })
  return ({ keyHash, userId, record }) => {
    const { candidate_models: models, endpoint_id: endpointId, region } = record
    const incapable = incapableEndpoints(record)
    const verdict = judge({ models, endpointId, region, incapable, owner: { keyHash, userId } })
    if (verdict.outcome === 'unknown') onUndecidable('catalogue')
    if (verdict.outcome === 'refused') return [{ outcome: 'refuse', rule: verdict.rule }]
    return verdict.outcome === 'rerouted' ? [{ outcome: 'reroute', rule: verdict.rule }] : []
  }
}

function createContentJudge({ policy }: GuardrailRecord, onUndecidable: (rule: RuleAt<'content'>) => void): Judge {
  const filters = findUndecidableFilters(policy)
  return ({ record }) => {
    const content = pastContentEffect(policy, record)
    if (content?.outcome === 'refused') return [{ outcome: 'refuse', rule: content.rule }]
    // Stored findings decide about builtin filters only: see `pastContentEffect`.
    for (const field of filters) if (field === 'content_filters' || !content) onUndecidable(field)
    return content ? [{ outcome: 'redact', rule: content.rule }] : []
  }
}

function createLimitJudge(budgets: PastBudgets, groups: Pick<PastBudgets, 'chargeIfRoom'>): Judge {
  const admits: Record<RuleAt<'limit'>, (past: PastRequest) => boolean> = {
    limit_usd: budgets.chargeIfRoom,
    group_limits: groups.chargeIfRoom,
  }
  const limits = rulesAt('limit')
  return (past) => {
    const violated = limits.find(({ rule }) => !admits[rule](past))
    return violated ? [{ outcome: 'refuse', rule: violated.rule }] : []
  }
}

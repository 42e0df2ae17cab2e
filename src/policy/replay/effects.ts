import type { CatalogueHolder } from '#catalogue/sources/holder.ts'
import type { Config } from '#platform/config/settings.ts'
import type { PastRequest } from '#spend/ledger/history.ts'
import { incapableEndpoints } from '#spend/ledger/record.ts'
import { type Place, type RuleAt, rulesAt } from '../guardrails/decide/rules.ts'
import type { GuardrailRecord } from '../guardrails/guardrail.ts'
import { type BudgetsOfPast, groupBudgetsOfPast } from './budget-past.ts'
import { contentOfPast, undecidedFilters } from './content-past.ts'
import { type IsReachable, judgeOfPast } from './judge-past.ts'
import type { Effect } from './tally.ts'
import type { Undecidable } from './words.ts'

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
export function effectsIn(
  deps: EffectsDeps,
  guardrail: GuardrailRecord,
  budgets: BudgetsOfPast,
  from: number,
  undecided: (rule: Undecidable) => void,
): Judge {
  const candidates = judgeCandidates(deps, guardrail, undecided)
  // In the order of evaluation of a live request.
  const places: Record<Place, Judge> = {
    region: candidates,
    model: candidates,
    endpoint: candidates,
    content: judgeContent(guardrail, undecided),
    limit: judgeLimits(budgets, groupBudgetsOfPast(guardrail.policy, from)),
  }
  const judges = [...new Set(Object.values(places))]
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

function judgeCandidates(deps: EffectsDeps, guardrail: GuardrailRecord, undecided: (rule: 'catalogue') => void): Judge {
  const { findModel } = deps.catalogue.current()
  const judge = judgeOfPast({ guardrail, findModel, vendors: deps.config.zdr_vendors, isReachable: deps.isReachable })
  return ({ keyHash, userId, record }) => {
    const { candidate_models: models, endpoint_id: endpointId, region } = record
    const incapable = incapableEndpoints(record)
    const verdict = judge({ models, endpointId, region, incapable, owner: { keyHash, userId } })
    if (verdict.outcome === 'unknown') undecided('catalogue')
    if (verdict.outcome === 'refused') return [{ outcome: 'refuse', rule: verdict.rule }]
    return verdict.outcome === 'rerouted' ? [{ outcome: 'reroute', rule: verdict.rule }] : []
  }
}

function judgeContent({ policy }: GuardrailRecord, undecided: (rule: RuleAt<'content'>) => void): Judge {
  const filters = undecidedFilters(policy)
  return ({ record }) => {
    const content = contentOfPast(policy, record)
    if (content?.outcome === 'refused') return [{ outcome: 'refuse', rule: content.rule }]
    for (const field of filters) if (field === 'content_filters' || !content) undecided(field)
    return content ? [{ outcome: 'redact', rule: content.rule }] : []
  }
}

function judgeLimits(budgets: BudgetsOfPast, groups: Pick<BudgetsOfPast, 'admits'>): Judge {
  const admits: Record<RuleAt<'limit'>, (past: PastRequest) => boolean> = {
    limit_usd: budgets.admits,
    group_limits: groups.admits,
  }
  const limits = rulesAt('limit')
  return (past) => {
    const refusing = limits.find(({ rule }) => !admits[rule](past))
    return refusing ? [{ outcome: 'refuse', rule: refusing.rule }] : []
  }
}

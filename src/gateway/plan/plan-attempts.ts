import type { OrderedBy } from '#spend/ledger/generation.ts'
import { LowerRanks, moveOpenCircuitsLast, orderRandomly, sortTargets } from './endpoint-order.ts'
import { describeExcluded, findExclusion } from './exclusion.ts'
import type { Plan, PlanInput, Preferences, Target } from './plan.ts'

/**
 * Chooses and orders the endpoints to try, model by model. Without an explicit order or sort, healthy endpoints come
 * first, drawn by weight or price, then those with recent failures. Open circuits always come last.
 */
export function planAttempts(input: PlanInput): Plan {
  const excludedTargets: Plan['excludedTargets'] = []
  const lowerRanks = new LowerRanks()
  const groups = input.candidates.map(({ model, endpoints, sort }) => {
    const usableTargets: Target[] = []
    for (const endpoint of endpoints) {
      const reason = findExclusion(model, endpoint, input)
      if (reason) excludedTargets.push(describeExcluded(reason, { model, endpoint }, input))
      else usableTargets.push({ model, endpoint })
    }
    const effectiveSort = input.preferences.sort ?? sort
    // An explicit order or sort ignores recent failures, so they are not recorded as the reason of a rank.
    const isRandomOrder = effectiveSort === undefined && input.preferences.order === undefined
    return { usable: orderRandomly(usableTargets, input, isRandomOrder ? lowerRanks : undefined), sort: effectiveSort }
  })
  const { preferences } = input
  const orderedTargets =
    preferences.sort && preferences.partition === 'none'
      ? sortTargets(
          groups.flatMap((group) => group.usable),
          preferences.sort,
          input,
          lowerRanks,
        )
      : groups.flatMap((group) => sortTargets(group.usable, group.sort, input, lowerRanks))
  const targets = moveOpenCircuitsLast(orderedTargets, input, lowerRanks)
  const orderedBy = targets.length < 2 ? undefined : findOrderRule(input)
  if (preferences.allowFallbacks) return { targets, excludedTargets, lowerRankReasons: lowerRanks.reasons, orderedBy }
  const firstChoices = dropFallbacks(targets, preferences)
  for (const target of targets)
    if (!firstChoices.includes(target)) excludedTargets.push({ target, reason: 'no_fallbacks' })
  return { targets: firstChoices, excludedTargets, lowerRankReasons: lowerRanks.reasons, orderedBy }
}

/** An order in the request overrides its sort, and its sort that of the model variant. */
function findOrderRule({ preferences: { order, sort }, candidates }: PlanInput): OrderedBy {
  return order ? 'order' : (sort ?? candidates[0]?.sort ?? 'draw')
}

/** The endpoints that remain without fallbacks: those of an explicit order, or else the first of each model. */
function dropFallbacks(targets: Target[], { order, sort, partition }: Preferences): Target[] {
  if (order) return targets
  if (sort && partition === 'none') return targets.slice(0, 1)
  return targets.filter(({ model }, index) => index === targets.findIndex((target) => target.model === model))
}

import type { OrderedBy } from '#spend/ledger/generation.ts'
import { BehindNotes, byDraw, inOrder, shutLast } from './endpoint-order.ts'
import { excludedFor, exclusionOf } from './exclusion.ts'
import type { Plan, PlanInput, Preferences, Target } from './plan.ts'

/**
 * Which endpoints to ask, in which order. Without an explicit order or sort: those without recent trouble first, drawn
 * by 1/price², then the troubled ones; the models of a fallback list one after the other. In any case those whose
 * circuits are shut come last. The random draw decides only between endpoints that are otherwise equal.
 */
export function planAttempts(input: PlanInput): Plan {
  const excluded: Plan['excluded'] = []
  const behind = new BehindNotes()
  const groups = input.candidates.map(({ model, endpoints, sort }) => {
    const kept: Target[] = []
    for (const endpoint of endpoints) {
      const reason = exclusionOf(model, endpoint, input)
      if (reason) excluded.push(excludedFor(reason, { model, endpoint }, input))
      else kept.push({ model, endpoint })
    }
    const wanted = input.preferences.sort ?? sort
    // An explicit order or sort is kept, whatever trouble an endpoint had lately.
    const isDrawn = wanted === undefined && input.preferences.order === undefined
    return { kept: byDraw(kept, input, isDrawn ? behind : undefined), sort: wanted }
  })
  const { preferences } = input
  const ordered =
    preferences.sort && preferences.partition === 'none'
      ? inOrder(
          groups.flatMap((group) => group.kept),
          preferences.sort,
          input,
          behind,
        )
      : groups.flatMap((group) => inOrder(group.kept, group.sort, input, behind))
  const targets = shutLast(ordered, input, behind)
  const orderedBy = targets.length < 2 ? undefined : orderOf(input)
  if (preferences.allowFallbacks) return { targets, excluded, behind: behind.found, orderedBy }
  const first = withoutFallbacks(targets, preferences)
  for (const target of targets) if (!first.includes(target)) excluded.push({ target, reason: 'no_fallbacks' })
  return { targets: first, excluded, behind: behind.found, orderedBy }
}

/** A request's own list comes before its sort, and that before the one of a model's variant. */
function orderOf({ preferences: { order, sort }, candidates }: PlanInput): OrderedBy {
  return order ? 'order' : (sort ?? candidates[0]?.sort ?? 'draw')
}

/** No endpoint that was not asked for: those of an explicit order, else the first of each model. */
function withoutFallbacks(targets: Target[], { order, sort, partition }: Preferences): Target[] {
  if (order) return targets
  if (sort && partition === 'none') return targets.slice(0, 1)
  return targets.filter(({ model }, at) => at === targets.findIndex((target) => target.model === model))
}

import { budgetsFor } from '#gateway/admission/budget-reservation.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { Now } from '#platform/core/clock.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { intervals } from '#platform/core/vocabulary.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import type { PoliciesInForce } from '#policy/guardrails/workspace-policies.ts'
import { layerOf, layers } from '#spend/budgets/budget.ts'
import { type LastingBudget, standingForm, standingsOf } from '#spend/budgets/standings.ts'

export const BudgetOfKey = z
  .object({
    layer: z
      .enum(layers)
      .describe(
        'The source of the limit: a budget of the organization or workspace, the default guardrail of the workspace (for the member or for the key), a guardrail of the member or of the key, or the key itself.',
      ),
    guardrail_id: z.string().nullable(),
    limit_usd: z.number(),
    reset_interval: z.enum(intervals).nullable(),
    include_byok: z.boolean().describe('Whether spending on your own provider keys counts.'),
    spent_usd: z.number(),
    unconfirmed_usd: z
      .number()
      .describe('Charged in addition to `spent_usd`, because no provider reported what it billed.'),
    held_usd: z.number().describe('Reserved for requests in flight and following ones. The unspent part is released.'),
    remaining_usd: z.number(),
    forecast_usd: z.number().nullable().describe('Expected spending at the end of the period; null if unknown.'),
    resets_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'KeyBudget', description: 'A limit that counts the spending of a key.' })

/** All limits that count what a key spends, in the order in which they are checked. Amounts are in USD. */
export async function budgetsOfKey(
  deps: { db: Db; now: Now },
  caller: Pick<Caller, 'keyHash' | 'spendLimit'>,
  budgets: PoliciesInForce['budgets'],
): Promise<z.infer<typeof BudgetOfKey>[]> {
  const all = budgetsFor(caller, budgets) as LastingBudget[]
  const standings = await standingsOf(deps, all)
  return all.map(({ subject, limit, interval, includesByok }, at) => {
    const { spent, unconfirmed, held } = standings[at]!
    const rest = limit - spent - unconfirmed - held
    return {
      layer: layerOf(subject),
      guardrail_id: subject.kind === 'guardrail' ? subject.id : null,
      limit_usd: toUsd(limit),
      reset_interval: interval,
      include_byok: includesByok,
      remaining_usd: toUsd(rest > 0n ? rest : 0n),
      ...standingForm(standings[at]!),
    }
  })
}

import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { intervals } from '#platform/core/vocabulary.ts'
import type { Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { dayOf, periodStart } from '../ledger/days.ts'
import type { ChargedRow } from './charged-row.ts'

type CountedCharge = { day: number; byok: boolean }

/**
 * Gives an amount back to the budgets that were charged for a request. Skips a budget that was created again on a later day,
 * or that no longer counts BYOK keys, because its account can have started without the request.
 */
export async function releaseFromBudgets(tx: Tx, row: ChargedRow, released: PicoUsd): Promise<void> {
  if (released <= 0n) return
  const counted = { day: dayOf(row.created_at), byok: row.facts.is_byok === true }
  // A charge counts in the current period of every interval, because the interval of a limit can change.
  const periods = [0, ...intervals.map((interval) => periodStart(interval, row.created_at))]
  // Sorted: two servers that lock the same budgets in different orders would deadlock.
  for (const budget of (row.facts.charged_budgets ?? []).toSorted()) {
    if (!(await isStillCounted(tx, budget, counted))) continue
    await tx
      .updateTable('budget_periods')
      .set({ spent_pico: sql<bigint>`spent_pico - ${released}` })
      .where('budget', '=', budget)
      .where('period', 'in', periods)
      .execute()
  }
}

async function isStillCounted(tx: Tx, budget: string, counted: CountedCharge): Promise<boolean> {
  const [kind, id = ''] = budget.split(':')
  if (kind === 'key') return isCountedByKey(tx, id, counted)
  if (kind === 'guardrail') return isCountedByGuardrail(tx, id, counted)
  if (kind === 'workspace' || kind === 'organization') return isCountedByPool(tx, budget, counted)
  // The account of a turn or session is never created again.
  return true
}

async function isCountedByKey(tx: Tx, hash: string, { byok }: CountedCharge): Promise<boolean> {
  const row = await tx
    .selectFrom('api_keys')
    .where('hash', '=', hash)
    .select('include_byok_in_limit')
    .executeTakeFirst()
  return row !== undefined && (!byok || row.include_byok_in_limit === 1)
}

async function isCountedByGuardrail(tx: Tx, id: string, { day, byok }: CountedCharge): Promise<boolean> {
  const row = await tx.selectFrom('guardrails').where('id', '=', id).select(['policy', 'created_at']).executeTakeFirst()
  if (!row || dayOf(row.created_at) > day) return false
  return !byok || (JSON.parse(row.policy) as { include_byok_in_budgets?: boolean }).include_byok_in_budgets === true
}

async function isCountedByPool(tx: Tx, account: string, { day, byok }: CountedCharge): Promise<boolean> {
  const row = await tx
    .selectFrom('pooled_budgets')
    .where('account', '=', account)
    .select(['include_byok', 'created_at'])
    .executeTakeFirst()
  return row !== undefined && dayOf(row.created_at) <= day && (!byok || row.include_byok === 1)
}

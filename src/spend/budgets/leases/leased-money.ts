import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Query } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { exactSum } from '../../ledger/sums/exact.ts'
import { readSum, zeroSum } from '../../ledger/sums/read-sum.ts'
import { leaseMs } from './leases.ts'

/** The money of an organization's limits that servers have leased. */
type LeasedMoney = {
  /** Reserved for requests in flight, or available for later ones. The unspent part is released. */
  held: PicoUsd
  /** Leased by servers that no longer report. It counts as spent until they report. */
  unaccounted: PicoUsd
}

type LeasedMoneyRow = { is_reporting: number; held: string }

export async function readLeasedMoney(
  query: Query,
  clock: DatabaseClock,
  organizationId: string,
): Promise<LeasedMoney> {
  const { rows } = await sql<LeasedMoneyRow>`
    select is_reporting, ${exactSum(sql`held_pico`)} as held
      from (
        select held_pico, case when renewed_at < ${clock.nowSql()} - ${leaseMs} then 0 else 1 end as is_reporting
          from budget_leases
         where budget in (
           select 'key:' || hash from api_keys where organization_id = ${organizationId}
           union all
           select account from pooled_budgets where organization_id = ${organizationId}
         )
            -- The accounts of a guardrail, one for each member, key, session or tag value, are named guardrail:<id>:….
            -- Their first 46 characters identify the guardrail.
            or substr(budget, 1, 46) in (
           select 'guardrail:' || g.id from guardrails as g
             join workspaces as w on w.id = g.workspace_id
            where w.organization_id = ${organizationId}
         )
      ) as leases
     group by is_reporting`.execute(query)
  const amountOf = (isReporting: 0 | 1) =>
    readSum(rows.find(({ is_reporting }) => Number(is_reporting) === isReporting)?.held ?? zeroSum)
  return { held: amountOf(1), unaccounted: amountOf(0) }
}

import type { CallerScope } from '#identity/accounts/caller.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { exactSum } from '../sums/exact.ts'
import { readSum } from '../sums/read-sum.ts'

/** The spending of the caller's organization, or of its workspace, with the operator's credentials. */
export async function readTotalSpent(deps: { db: Pick<Db, 'reportQuery'> }, caller: CallerScope): Promise<PicoUsd> {
  const row = await deps.db.reportQuery
    .selectFrom('workspace_days')
    .where('organization_id', '=', caller.organizationId)
    .$if(caller.isWorkspaceScoped, (days) => days.where('workspace_id', '=', caller.workspaceId))
    .select(spentColumn(0).as('cost'))
    .executeTakeFirstOrThrow()
  return readSum(row.cost)
}

/** An exact sum of the rows with the operator's credentials (0) or with BYOK keys (1). */
export function spentColumn(byok: 0 | 1, column: 'cost_pico' | 'margin_pico' = 'cost_pico') {
  return exactSum(sql`case when byok = ${sql.lit(byok)} then ${sql.ref(column)} else 0 end`)
}

/** Spent amounts, and the margins that limits count in addition: with the operator's credentials, and with BYOK keys. */
export type Spending = { operator: PicoUsd; byok: PicoUsd; margin: PicoUsd; byokMargin: PicoUsd }

const spendingColumns = [
  spentColumn(0).as('operator'),
  spentColumn(1).as('byok'),
  spentColumn(0, 'margin_pico').as('margin'),
  spentColumn(1, 'margin_pico').as('byokMargin'),
] as const

/** Reads the results of `exactSum`. */
export function readSpending(row: Record<keyof Spending, string>): Spending {
  return {
    operator: readSum(row.operator),
    byok: readSum(row.byok),
    margin: readSum(row.margin),
    byokMargin: readSum(row.byokMargin),
  }
}

/** The part of the spending that a limit counts. */
export function chargedOf({ operator, byok, margin, byokMargin }: Spending, includesByok: boolean): PicoUsd {
  return operator + margin + (includesByok ? byok + byokMargin : 0n)
}

/** The part of the charged amount that no provider has confirmed. */
export function unconfirmedOf({ margin, byokMargin }: Spending, includesByok: boolean): PicoUsd {
  return margin + (includesByok ? byokMargin : 0n)
}

export const zeroSpending: Spending = { operator: 0n, byok: 0n, margin: 0n, byokMargin: 0n }

/** The spending of keys since a day, by hash. Keys without spending are missing. */
export async function readSpendingOfKeys(
  deps: { db: Db },
  hashes: string[],
  sinceDay: number,
): Promise<Map<string, Spending>> {
  if (hashes.length === 0) return new Map()
  const rows = await deps.db.query
    .selectFrom('usage_days')
    .where('key_hash', 'in', hashes)
    .where('day', '>=', sinceDay)
    .select(['key_hash', ...spendingColumns])
    .groupBy('key_hash')
    .execute()
  return new Map(rows.map((row) => [row.key_hash, readSpending(row)]))
}

/** An organization, a workspace, or some keys and members in it. */
export type Spenders = { organizationId?: string; workspaceId?: string; keyHashes?: string[]; userIds?: string[] }

export async function readSpendingOf(
  deps: { db: Pick<Db, 'query'> },
  spenders: Spenders,
  sinceDay: number,
): Promise<Spending> {
  const { organizationId, workspaceId, keyHashes, userIds } = spenders
  const usesWorkspaceSums = !keyHashes && !userIds
  let matching = deps.db.query
    .selectFrom(usesWorkspaceSums ? ('workspace_days' as 'usage_days') : 'usage_days')
    .where('day', '>=', sinceDay)
  if (organizationId) matching = matching.where('organization_id', '=', organizationId)
  if (workspaceId) matching = matching.where('workspace_id', '=', workspaceId)
  if (keyHashes && userIds) {
    if (keyHashes.length + userIds.length === 0) return zeroSpending
    matching = matching.where((e) => {
      // SQL has no empty list.
      const conditions = []
      if (keyHashes.length > 0) conditions.push(e('key_hash', 'in', keyHashes))
      if (userIds.length > 0) conditions.push(e('user_id', 'in', userIds))
      return e.or(conditions)
    })
  }
  return readSpending(await matching.select([...spendingColumns]).executeTakeFirstOrThrow())
}

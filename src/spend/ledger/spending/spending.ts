import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db, Query } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Day } from '../days.ts'
import { exactSum } from '../sums/exact.ts'
import { readSum } from '../sums/read-sum.ts'

/** Spent amounts, and the margins that limits count in addition: with the operator's credentials, and with BYOK keys. */
export type Spending = { operator: PicoUsd; byok: PicoUsd; margin: PicoUsd; byokMargin: PicoUsd }

export const zeroSpending: Spending = { operator: 0n, byok: 0n, margin: 0n, byokMargin: 0n }

/** The part of the spending that a limit counts. */
export function chargedOf({ operator, byok, margin, byokMargin }: Spending, includesByok: boolean): PicoUsd {
  return operator + margin + (includesByok ? byok + byokMargin : 0n)
}

/** The part of the charged amount that no provider has confirmed. */
export function unconfirmedOf({ margin, byokMargin }: Spending, includesByok: boolean): PicoUsd {
  return margin + (includesByok ? byokMargin : 0n)
}

/** An exact sum of the rows with the operator's credentials (0) or with BYOK keys (1). */
export function spentColumn(byok: 0 | 1, column: 'cost_pico' | 'margin_pico' = 'cost_pico') {
  return exactSum(sql`case when byok = ${sql.lit(byok)} then ${sql.ref(column)} else 0 end`)
}

const spendingColumns = [
  spentColumn(0).as('operator'),
  spentColumn(1).as('byok'),
  spentColumn(0, 'margin_pico').as('margin'),
  spentColumn(1, 'margin_pico').as('byokMargin'),
] as const

/** Converts the columns, which are results of `exactSum`. */
export function toSpending(row: Record<keyof Spending, string>): Spending {
  return {
    operator: readSum(row.operator),
    byok: readSum(row.byok),
    margin: readSum(row.margin),
    byokMargin: readSum(row.byokMargin),
  }
}

/** Reads the spending of keys since a day, by hash. Keys without spending are missing. */
export async function readSpendingOfKeys(
  deps: { db: Pick<Db, 'query'> },
  hashes: readonly string[],
  sinceDay: Day,
): Promise<Map<string, Spending>> {
  if (hashes.length === 0) return new Map()
  const rows = await deps.db.query
    .selectFrom('usage_days')
    .where('key_hash', 'in', hashes)
    .where('day', '>=', sinceDay)
    .select(['key_hash', ...spendingColumns])
    .groupBy('key_hash')
    .execute()
  return new Map(rows.map((row) => [row.key_hash, toSpending(row)]))
}

/** Everybody in an organization or a workspace, or only some keys and members of it. */
export type Spenders = { organizationId?: string; workspaceId?: string; only?: KeysAndMembers }
type KeysAndMembers = { keyHashes?: readonly string[]; userIds?: readonly string[] }

/** Reads the sum of the spending since a day. */
export async function readSpendingOf(
  { db }: { db: { query: Query } },
  { organizationId, workspaceId, only }: Spenders,
  sinceDay: Day,
): Promise<Spending> {
  // The sums by workspace are fewer, and sufficient if keys and members do not matter. The cast is for the compiler: the
  // columns of this query are the same in both tables.
  const table = only ? 'usage_days' : ('workspace_days' as 'usage_days')
  let matching = db.query.selectFrom(table).where('day', '>=', sinceDay)
  if (organizationId) matching = matching.where('organization_id', '=', organizationId)
  if (workspaceId) matching = matching.where('workspace_id', '=', workspaceId)
  if (only) {
    const { keyHashes = [], userIds = [] } = only
    if (keyHashes.length + userIds.length === 0) return zeroSpending
    matching = matching.where((e) => {
      // SQL has no empty list.
      const conditions = []
      if (keyHashes.length > 0) conditions.push(e('key_hash', 'in', keyHashes))
      if (userIds.length > 0) conditions.push(e('user_id', 'in', userIds))
      return e.or(conditions)
    })
  }
  return toSpending(await matching.select([...spendingColumns]).executeTakeFirstOrThrow())
}

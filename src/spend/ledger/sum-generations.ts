import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { exactSum } from './exact.ts'
import { type GenerationFilter, matchingGenerations } from './list-generations.ts'
import { readSum } from './read-sum.ts'
import type { Grouping } from './request-group.ts'
import type { Visibility } from './visibility.ts'

/** The requests of one group, and what they cost in USD with any credential. */
export type GroupSum = {
  value: string
  requests: number
  failed: number
  cost: number
  unconfirmed: number
  firstAt: number
  lastAt: number
}

/**
 * Sums the single requests of the ledger by session or tag, most expensive first. Requests without a session or tag do not count.
 * @returns at most `limit` groups.
 */
export async function sumGenerations(
  deps: { db: Pick<Db, 'reports'> },
  caller: Visibility,
  filter: GenerationFilter,
  group: Grouping,
  limit: number,
): Promise<GroupSum[]> {
  const matching = matchingGenerations(deps, caller, filter)
  if (!matching) return []
  const found = matching
    .select(['id', 'session_id', 'created_at', 'outcome', 'cost_pico', 'margin_pico'])
    .$if(group.by === 'session', (rows) => rows.where('session_id', 'is not', null))
  const value = group.by === 'session' ? sql<string>`found.session_id` : sql<string>`tagged.value`
  const rows = await deps.db.reports
    .selectFrom(found.as('found'))
    .$if(group.by === 'tag', (all) =>
      all
        .innerJoin('request_tags as tagged', 'tagged.generation_id', 'found.id')
        .where('tagged.name', '=', group.by === 'tag' ? group.name : ''),
    )
    .select((e) => [
      value.as('value'),
      e.fn.countAll<number>().as('requests'),
      sql<number>`sum(case when found.outcome in ('failed', 'refused') then 1 else 0 end)`.as('failed'),
      exactSum(sql.ref('found.cost_pico')).as('cost'),
      exactSum(sql.ref('found.margin_pico')).as('margin'),
      sql<number>`min(found.created_at)`.as('first_at'),
      sql<number>`max(found.created_at)`.as('last_at'),
    ])
    .groupBy(value)
    .orderBy(sql`sum(cast(found.cost_pico as double precision))`, 'desc')
    .orderBy(value)
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    value: row.value,
    requests: Number(row.requests),
    failed: Number(row.failed),
    cost: usdOf(row.cost),
    unconfirmed: usdOf(row.margin),
    firstAt: Number(row.first_at),
    lastAt: Number(row.last_at),
  }))
}

const usdOf = (sum: string): number => toUsd(readSum(sum) as PicoUsd)

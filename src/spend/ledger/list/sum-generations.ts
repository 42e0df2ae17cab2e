import type { DisconnectSignal } from '#platform/async/disconnect-signal.ts'
import { clientClosedFault, Fault } from '#platform/core/fault.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Grouping } from '../request-group.ts'
import { exactSum } from '../sums/exact.ts'
import { readSum } from '../sums/read-sum.ts'
import type { GenerationFilter, Generations } from './generation-filter.ts'
import { selectGenerationSlices } from './list-generations.ts'
import type { RequestReader } from './visibility.ts'

/** The requests of one group, and what they cost in USD with any credential. */
type GroupSum = {
  value: string
  requests: number
  failed: number
  cost: number
  unconfirmed: number
  firstAt: number
  lastAt: number
}

/** The number of rows that one statement scans. */
const rowsPerSlice = 10_000

/** The number of groups that are kept in memory. */
const maxGroups = 100_000

/** The sums of a group so far. Costs in pico-dollars, times in milliseconds since the epoch. */
type Sums = { requests: number; failed: number; cost: bigint; margin: bigint; firstAt: number; lastAt: number }

/**
 * Sums the single requests of the ledger by session or tag, most expensive first. Requests without a session or tag do not count.
 * @returns at most `limit` groups.
 * @throws Fault `invalid` if there are more than 100,000 groups; `client_closed_request` when the signal aborts.
 */
export async function sumGenerations(
  deps: { db: Pick<Db, 'reportQuery'> },
  caller: RequestReader,
  filter: GenerationFilter,
  grouping: Grouping,
  limit: number,
  signal: Pick<DisconnectSignal, 'aborted'>,
  sliceRows = rowsPerSlice,
): Promise<GroupSum[]> {
  const groups = new Map<string, Sums>()
  for await (const { rows } of selectGenerationSlices(deps, caller, filter, sliceRows)) {
    for (const [value, sums] of await sumSlice(deps, rows, grouping)) addTo(groups, value, sums)
    if (groups.size > maxGroups) throw tooManyGroupsFault()
    if (signal.aborted) throw clientClosedFault()
  }
  return [...groups]
    .sort(byCost)
    .slice(0, limit)
    .map(([value, { cost, margin, ...sums }]) => ({
      value,
      ...sums,
      cost: toUsd(cost as PicoUsd),
      unconfirmed: toUsd(margin as PicoUsd),
    }))
}

/** Most expensive first. Groups with the same cost are in the order of their values. */
function byCost([a, { cost: costOfA }]: [string, Sums], [b, { cost: costOfB }]: [string, Sums]): number {
  if (costOfA !== costOfB) return costOfA > costOfB ? -1 : 1
  return a < b ? -1 : 1
}

const tooManyGroupsFault = () =>
  new Fault(
    'invalid',
    `Invalid request: from: over ${maxGroups} groups match; choose a shorter time with from and to, or add a filter`,
  )

function addTo(groups: Map<string, Sums>, value: string, added: Sums): void {
  const sums = groups.get(value)
  if (!sums) return void groups.set(value, added)
  sums.requests += added.requests
  sums.failed += added.failed
  sums.cost += added.cost
  sums.margin += added.margin
  sums.firstAt = Math.min(sums.firstAt, added.firstAt)
  sums.lastAt = Math.max(sums.lastAt, added.lastAt)
}

async function sumSlice(
  { db }: { db: Pick<Db, 'reportQuery'> },
  slice: Generations,
  grouping: Grouping,
): Promise<[value: string, sums: Sums][]> {
  const found = slice
    .select(['id', 'session_id', 'created_at', 'outcome', 'cost_pico', 'margin_pico'])
    .$if(grouping.by === 'session', (rows) => rows.where('session_id', 'is not', null))
  const value = grouping.by === 'session' ? sql<string>`found.session_id` : sql<string>`tagged.value`
  const rows = await db.reportQuery
    .selectFrom(found.as('found'))
    .$if(grouping.by === 'tag', (requests) =>
      // A cross join, because SQLite then reads the tags of each request instead of all tags.
      requests
        .crossJoin('request_tags as tagged')
        .whereRef('tagged.generation_id', '=', 'found.id')
        .where('tagged.name', '=', grouping.by === 'tag' ? grouping.name : ''),
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
    .execute()
  return rows.map((row) => [
    row.value,
    {
      requests: Number(row.requests),
      failed: Number(row.failed),
      cost: readSum(row.cost),
      margin: readSum(row.margin),
      firstAt: Number(row.first_at),
      lastAt: Number(row.last_at),
    },
  ])
}

import type { RawBuilder } from 'kysely'
import type { Db } from '#db/db.ts'
import { foldRows, foldsEachRow } from '#db/fold-rows.ts'
import { joinedTexts } from '#db/joined-texts.ts'
import { sql } from '#db/kysely.ts'
import type { CellQuery } from './cell-query.ts'
import type { DimensionFilter } from './dimensions.ts'
import { fold } from './fold-cells.ts'
import type { FoldedGroups } from './group.ts'
import { addedColumn, sumColumn } from './sum-columns.ts'
import type { Tile } from './tiles.ts'

/**
 * What is merged, and what is not, in one statement: a part that is merged meanwhile is seen once.
 * @returns undefined where there are too many groups.
 */
export function readCells(
  deps: { db: Pick<Db, 'reports' | 'kind'> },
  query: CellQuery,
  signal?: AbortSignal,
): Promise<FoldedGroups | undefined> {
  const cells = foldsEachRow(deps.db) ? eachCell(query) : groupedCells(deps.db, query)
  const nulls = [...query.columns, ...query.sums, ...query.sketches].map(() => sql`cast(null as text)`)
  const parts = sql`select ${sql.join([sql`cells`, sql`0`, ...nulls])} from rollup_parts`
  return foldRows(deps, fold, query, sql`${cells} union all ${parts}`, signal)
}

/** A row for each cell: the bucket, columns, sums, and texts of distributions. */
function eachCell({ table, columns, sums, sketches, ...query }: CellQuery): RawBuilder<unknown> {
  const selected = [
    ...columns.map((name) => sql.ref(name)),
    ...sums.map(addedColumn),
    ...sketches.map((name) => sql.ref(name)),
  ]
  const among = (time: RawBuilder<unknown>) =>
    sql`select ${sql.join([sql`null`, bucketOf(query), ...selected])} from ${sql.table(table)}
      where ${sql.join([time, ...conditions(query)], sql` and `)}`
  // Each by itself, in the order of the index.
  const times = query.tiles.length > 0 ? query.tiles.map(within) : [nothing]
  return sql.join(times.map(among), sql` union all `)
}

/** A row for each group: of sums as text, and the texts of distributions as one. */
function groupedCells(
  db: Pick<Db, 'kind'>,
  { table, columns, sums, sketches, mostGroups, ...query }: CellQuery,
): RawBuilder<unknown> {
  const bucket = bucketOf(query)
  const groups = [...(query.unit === undefined ? [] : [bucket]), ...columns.map((name) => sql.ref(name))]
  // Named for one that Postgres hands over by name.
  const selected = [
    sql`cast(null as text) as part`,
    sql`${bucket} as bucket`,
    ...columns.map((name, at) => sql`${sql.ref(name)} as ${sql.ref(`c${at}`)}`),
    ...sums.map((name, at) => sql`${sumColumn(name)} as ${sql.ref(`s${at}`)}`),
    ...sketches.map((name, at) => sql`${joinedTexts(db, sql`nullif(${sql.ref(name)}, '')`)} as ${sql.ref(`k${at}`)}`),
  ]
  const times = query.tiles.map((tile) => sql`(${within(tile)})`)
  const time = times.length > 0 ? sql`(${sql.join(times, sql` or `)})` : nothing
  // Without groups there is one row even where there is nothing.
  const grouped = groups.length > 0 ? sql`group by ${sql.join(groups)}` : sql`having count(*) > 0`
  return sql`select * from (select ${sql.join(selected)} from ${sql.table(table)}
    where ${sql.join([time, ...conditions(query)], sql` and `)} ${grouped} limit ${sql.lit(mostGroups + 1)}) as merged`
}

const bucketOf = ({ unit }: Pick<CellQuery, 'unit'>) =>
  unit === undefined ? sql`0` : sql`slot * grain / ${sql.lit(unit)}`

const nothing = sql`1 = 0`

const within = ({ grain, from, to }: Tile) => sql`grain = ${sql.lit(grain)} and slot >= ${from} and slot < ${to}`

const conditions = ({ organizationId, filters }: Pick<CellQuery, 'organizationId' | 'filters'>) => [
  sql`organization_id = ${organizationId}`,
  ...filters.map(condition),
]

function condition({ column, values, isNegated, includesUnset }: DimensionFilter): RawBuilder<unknown> {
  const ref = sql.ref(column)
  const listed = values.length > 0 ? sql`${ref} in (${sql.join(values)})` : nothing
  const passing = isNegated ? sql`(${ref} <> '' and not ${listed})` : sql`(${ref} <> '' and ${listed})`
  return includesUnset ? sql`(${ref} = '' or ${passing})` : passing
}

import type { RawBuilder } from 'kysely'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { foldRows, foldsEachRow } from '#platform/db/rows/fold-rows.ts'
import { joinedTexts } from '#platform/db/rows/joined-texts.ts'
import type { CellTable } from '../rollups/cell-tables.ts'
import type { CellQuery } from './cell-query.ts'
import type { DimensionFilter } from './dimensions.ts'
import { fold } from './fold-cells.ts'
import type { FoldedGroups } from './group.ts'
import { addedColumn, sumColumn } from './sum-columns.ts'
import type { Tile } from './tiles.ts'

/**
 * Reads merged cells and parts in one statement, so that a part that is merged meanwhile counts once.
 * @returns undefined if there are too many groups.
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

/** Selects a row for each cell: bucket, columns, sums and sketches. */
function eachCell({ tiles, columns, sums, sketches, ...query }: CellQuery): RawBuilder<unknown> {
  // Named, because Postgres returns columns by name.
  const among = (table: CellTable, time: RawBuilder<unknown>) => {
    const selected = [
      sql`cast(null as text) as part`,
      sql`${bucketOf(query)} as bucket`,
      ...columns.map((name, at) => sql`${sql.ref(name)} as ${columnAt(at)}`),
      ...sums.map((name, at) => sql`${addedColumn(name, table)} as ${sumAt(at)}`),
      ...sketches.map((name, at) => sql`${sql.ref(name)} as ${sketchAt(at)}`),
    ]
    return sql`select ${sql.join(selected)} from ${sql.table(table)}
      where ${sql.join([time, ...conditions(query)], sql` and `)}`
  }
  // One condition each, in the order of the index.
  const all = tiles.length > 0 ? tiles.map((tile) => among(tile.table, within(tile))) : [among('key_cells', nothing)]
  return sql.join(all, sql` union all `)
}

/** Selects a row for each group: sums as text, and concatenated sketches. */
function groupedCells(db: Pick<Db, 'kind'>, query: CellQuery): RawBuilder<unknown> {
  const { columns, sums, sketches, unit, mostGroups } = query
  const groups = [...(unit === undefined ? [] : [sql`bucket`]), ...columns.map((_, at) => columnAt(at))]
  const selected = [
    sql`cast(null as text) as part`,
    unit === undefined ? sql`0 as bucket` : sql`bucket`,
    ...columns.map((_, at) => columnAt(at)),
    ...sums.map((name, at) => sql`${sumColumn(name, sumAt(at))} as ${sumAt(at)}`),
    ...sketches.map((_, at) => sql`${joinedTexts(db, sql`nullif(${sketchAt(at)}, '')`)} as ${sketchAt(at)}`),
  ]
  // Without groups there is one row even without data.
  const grouped = groups.length > 0 ? sql`group by ${sql.join(groups)}` : sql`having count(*) > 0`
  return sql`select * from (select ${sql.join(selected)} from (${eachCell(query)}) as cells ${grouped}
    limit ${sql.lit(mostGroups + 1)}) as merged`
}

const [columnAt, sumAt, sketchAt] = ['c', 's', 'k'].map((letter) => (at: number) => sql.ref(`${letter}${at}`)) as [
  (at: number) => RawBuilder<unknown>,
  (at: number) => RawBuilder<unknown>,
  (at: number) => RawBuilder<unknown>,
]

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

import type { RawBuilder } from 'kysely'
import type { Db } from '#db/db.ts'
import { joinedTexts } from '#db/joined-texts.ts'
import { sql } from '#db/kysely.ts'
import type { SketchName } from '#usage/rollups/cell.ts'
import type { Dimension } from '#usage/rollups/dimensions.ts'
import type { DimensionFilter } from './dimensions.ts'
import { type SumName, sumColumn } from './sums.ts'
import type { Tile } from './tiles.ts'

/** What is read of roll-ups. */
export type CellQuery = {
  organizationId: string
  table: 'workspace_cells' | 'key_cells'
  tiles: readonly Tile[]
  filters: readonly DimensionFilter[]
  /** How long buckets are, in minutes; without, there is one. */
  unit: number | undefined
  columns: readonly Dimension[]
  sums: readonly SumName[]
  sketches: readonly SketchName[]
}

/**
 * A row of sums of merged cells: columns as `c0`, `c1` …, sums as `s0` …, distributions as `k0` …; or a part that is not
 * merged yet.
 */
export type CellRow = { part: string | null; bucket: number } & {
  [column: `${'c' | 's' | 'k'}${number}`]: string | null
}

/**
 * What is merged, and what is not, in one statement: a part that is merged meanwhile is seen once.
 * @param most so many rows at the most.
 */
export async function readCells(
  { db }: { db: Pick<Db, 'reports' | 'kind'> },
  query: CellQuery,
  most: number,
): Promise<CellRow[]> {
  const { table, columns, sums, sketches } = query
  const bucket = query.unit === undefined ? sql`0` : sql`slot * grain / ${sql.lit(query.unit)}`
  const groups = [...(query.unit === undefined ? [] : [bucket]), ...columns.map((name) => sql.ref(name))]
  const selected = [
    ...columns.map((name, at) => sql`${sql.ref(name)} as ${sql.ref(`c${at}`)}`),
    ...sums.map((name, at) => sql`${sumColumn(name)} as ${sql.ref(`s${at}`)}`),
    ...sketches.map((name, at) => sql`${joinedTexts(db, sql`nullif(${sql.ref(name)}, '')`)} as ${sql.ref(`k${at}`)}`),
  ]
  const nulls = selected.map(() => sql`cast(null as text)`)
  // Without groups there is one row even where there is nothing.
  const grouped = groups.length > 0 ? sql`group by ${sql.join(groups)}` : sql`having count(*) > 0`
  const cells = sql`select cast(null as text) as part, ${sql.join([sql`${bucket} as bucket`, ...selected])}
    from ${sql.table(table)} where ${sql.join(conditions(query), sql` and `)} ${grouped} limit ${sql.lit(most)}`
  const parts = sql`select ${sql.join([sql`cells`, sql`0`, ...nulls])} from rollup_parts`
  const { rows } = await sql<CellRow>`select * from (${cells}) as merged union all ${parts}`.execute(db.reports)
  return rows
}

function conditions({ organizationId, tiles, filters }: CellQuery): RawBuilder<unknown>[] {
  const times = tiles.map(
    ({ grain, from, to }) => sql`(grain = ${sql.lit(grain)} and slot >= ${from} and slot < ${to})`,
  )
  return [
    sql`organization_id = ${organizationId}`,
    times.length > 0 ? sql`(${sql.join(times, sql` or `)})` : sql`1 = 0`,
    ...filters.map(condition),
  ]
}

function condition({ column, values, isNegated, includesUnset }: DimensionFilter): RawBuilder<unknown> {
  const ref = sql.ref(column)
  const listed = values.length > 0 ? sql`${ref} in (${sql.join(values)})` : sql`1 = 0`
  const passing = isNegated ? sql`(${ref} <> '' and not ${listed})` : sql`(${ref} <> '' and ${listed})`
  return includesUnset ? sql`(${ref} = '' or ${passing})` : passing
}

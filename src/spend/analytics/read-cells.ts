import type { RawBuilder } from 'kysely'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { foldRows, foldsEachRow } from '#platform/db/rows/fold-rows.ts'
import { joinedTexts } from '#platform/db/rows/joined-texts.ts'
import type { CellTable } from '../rollups/cell-tables.ts'
import type { CellQuery } from './cell-query.ts'
import type { DimensionFilter } from './dimensions.ts'
import { fold } from './fold-cells.ts'
import type { GroupColumns } from './group.ts'
import type { SlotRange } from './slot-ranges.ts'
import { sumColumn, summandColumn } from './sum-columns.ts'

/**
 * Reads cells and pending batches in one statement, so that a batch that is merged meanwhile counts once.
 * @returns undefined if there are too many groups.
 */
export function readCells(
  deps: { db: Pick<Db, 'reportQuery' | 'kind'> },
  query: CellQuery,
  signal?: AbortSignal,
): Promise<GroupColumns | undefined> {
  // SQLite folds single cells in its thread. Postgres groups the cells in SQL first.
  const cells = foldsEachRow(deps.db) ? selectEachCell(query) : selectGroupedCells(deps.db, query)
  const nulls = [...query.columns, ...query.sums, ...query.sketches].map(() => sql`cast(null as text)`)
  const batches = sql`select ${sql.join([sql`cells`, sql`0`, ...nulls])} from rollup_parts`
  return foldRows(deps, fold, query, sql`${cells} union all ${batches}`, signal)
}

/** Selects a row for each cell, with the columns of `CellRow`. The first column is null, because a cell is not a batch. */
function selectEachCell({ slotRanges, columns, sums, sketches, ...query }: CellQuery): RawBuilder<unknown> {
  // Columns have aliases, because Postgres returns rows as objects.
  const selectFrom = (table: CellTable, time: RawBuilder<unknown>) => {
    const selected = [
      sql`cast(null as text) as batch`,
      sql`${slotExpression(query)} as time_slot`,
      ...columns.map((name, index) => sql`${sql.ref(name)} as ${columnRef(index)}`),
      ...sums.map((name, index) => sql`${summandColumn(name, table)} as ${sumRef(index)}`),
      ...sketches.map((name, index) => sql`${sql.ref(name)} as ${sketchRef(index)}`),
    ]
    return sql`select ${sql.join(selected)} from ${sql.table(table)}
      where ${sql.join([time, ...rowConditions(query)], sql` and `)}`
  }
  // One statement per range, whose conditions match the index.
  const selections =
    slotRanges.length > 0
      ? slotRanges.map((range) => selectFrom(range.table, isInSlotRange(range)))
      : [selectFrom('key_cells', matchesNothing)]
  return sql.join(selections, sql` union all `)
}

/** Selects a row for each group: sums as text, and concatenated sketches. */
function selectGroupedCells(db: Pick<Db, 'kind'>, query: CellQuery): RawBuilder<unknown> {
  const { columns, sums, sketches, slotMinutes, maxGroups } = query
  const groups = columns.map((_, index) => columnRef(index))
  if (slotMinutes !== undefined) groups.unshift(sql.ref('time_slot'))
  const selected = [
    sql`cast(null as text) as batch`,
    slotMinutes === undefined ? sql`0 as time_slot` : sql`time_slot`,
    ...columns.map((_, index) => columnRef(index)),
    ...sums.map((name, index) => sql`${sumColumn(name, sumRef(index))} as ${sumRef(index)}`),
    ...sketches.map((_, index) => sql`${joinedTexts(db, sql`nullif(${sketchRef(index)}, '')`)} as ${sketchRef(index)}`),
  ]
  // Without `group by`, SQL returns one row even if no row matches.
  const grouped = groups.length > 0 ? sql`group by ${sql.join(groups)}` : sql`having count(*) > 0`
  return sql`select * from (select ${sql.join(selected)} from (${selectEachCell(query)}) as cells ${grouped}
    limit ${sql.lit(maxGroups + 1)}) as merged`
}

const columnRef = (index: number) => sql.ref(`c${index}`)
const sumRef = (index: number) => sql.ref(`s${index}`)
const sketchRef = (index: number) => sql.ref(`k${index}`)

/** The stored slots of a range can be shorter than the slots of the query. */
const slotExpression = ({ slotMinutes }: Pick<CellQuery, 'slotMinutes'>) =>
  slotMinutes === undefined ? sql`0` : sql`slot * grain / ${sql.lit(slotMinutes)}`

const matchesNothing = sql`1 = 0`

const isInSlotRange = ({ grain, from, to }: SlotRange) =>
  sql`grain = ${sql.lit(grain)} and slot >= ${from} and slot < ${to}`

const rowConditions = ({ organizationId, filters }: Pick<CellQuery, 'organizationId' | 'filters'>) => [
  sql`organization_id = ${organizationId}`,
  ...filters.map(filterCondition),
]

function filterCondition({ column, values, isNegated, includesUnset }: DimensionFilter): RawBuilder<unknown> {
  const ref = sql.ref(column)
  const isListed = values.length > 0 ? sql`${ref} in (${sql.join(values)})` : matchesNothing
  const matching = isNegated ? sql`(${ref} <> '' and not ${isListed})` : sql`(${ref} <> '' and ${isListed})`
  return includesUnset ? sql`(${ref} = '' or ${matching})` : matching
}

import type { Db } from '#platform/db/db.ts'
import { recordColumns } from '#spend/ledger/record.ts'
import { exactText } from '#spend/ledger/sums/exact.ts'
import { parseBatch, sumByMinute } from '#spend/rollups/batches.ts'
import { type Cell, toSlot } from '#spend/rollups/cell.ts'
import { type CellTable, dimensionsOf, sumColumns, summands } from '#spend/rollups/cell-tables.ts'
import { dimensionColumns } from '#spend/rollups/dimensions.ts'
import { mergeBatches } from '#spend/rollups/merge-batches.ts'
import { readRequestFacts } from '#spend/rollups/request-facts.ts'

/** Every cell as a text, by table, grain, slot and dimensions, to compare two ways to count. */
type CellTexts = Map<string, string>

/** The values of cells of one grain. */
export async function storedCells(db: Db, table: CellTable, grain: number): Promise<CellTexts> {
  const rows = await db.query
    .selectFrom(table as 'key_cells')
    .where('grain', '=', grain)
    .select(['slot', ...(dimensionsOf[table] as 'model'[]), 'latency', 'duration', 'throughput'])
    .select(sumColumns[table].map((name) => exactText(name).as(`${name}_exact`)))
    .execute()
  const results = rows.map((row): [string, string] => {
    const texts = row as unknown as Record<string, string>
    return [
      [row.slot, ...dimensionsOf[table].map((name) => texts[name])].join(' '),
      [...sumColumns[table].map((name) => texts[`${name}_exact`]), row.latency, row.duration, row.throughput].join(
        ' | ',
      ),
    ]
  })
  return new Map(results.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The expected cells, counted again from the rows of the ledger. */
export async function recomputedCells(db: Db, table: CellTable, grain: number): Promise<CellTexts> {
  const rows = await db.query
    .selectFrom('generations')
    .select([...recordColumns, 'organization_id'])
    .select([exactText('cost_pico').as('cost'), exactText('margin_pico').as('margin')])
    .execute()
  const names = dimensionColumns.filter((name) => dimensionsOf[table].some((dimension) => dimension === name))
  const sums = new Map<string, Sums>()
  for (const facts of rows.map(readRequestFacts)) {
    const [cell] = sumByMinute([facts])
    const id = [toSlot(cell!.minute, grain), ...names.map((name) => facts.dimensions[name])].join(' ')
    const added = { amounts: summands(table, cell!), sketches: cell!.sketches }
    const sum = sums.get(id)
    if (!sum) sums.set(id, added)
    else addInto(sum, added)
  }
  const results = [...sums].map(([id, { amounts, sketches }]): [string, string] => [
    id,
    [
      ...sumColumns[table].map((name) => amounts[name]),
      sketches.latency.toText(),
      sketches.duration.toText(),
      sketches.throughput.toText(),
    ].join(' | '),
  ])
  return new Map(results.sort(([a], [b]) => (a < b ? -1 : 1)))
}

type Sums = Pick<Cell, 'sketches'> & { amounts: Record<string, bigint> }

function addInto(sum: Sums, added: Sums): void {
  for (const name of Object.keys(sum.amounts)) sum.amounts[name]! += added.amounts[name]!
  for (const name of ['latency', 'duration', 'throughput'] as const) sum.sketches[name].merge(added.sketches[name])
}

export async function mergeAll(db: Db): Promise<void> {
  while (await mergeBatches({ db }));
}

/** The number of requests in unmerged parts. */
export async function requestsInParts(db: Db): Promise<number> {
  const parts = await db.query.selectFrom('rollup_parts').select('cells').execute()
  const cells = parts.flatMap(({ cells }) => parseBatch(cells))
  return cells.reduce((sum, { amounts }) => sum + Number(amounts.requests), 0)
}

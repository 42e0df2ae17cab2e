import type { RawBuilder } from 'kysely'
import { clientClosedFault } from '../../core/fault.ts'
import type { Db } from '../db.ts'
import { CompiledQuery } from '../kysely.ts'
import { type Fold, foldInSlices, type RowReduction } from './fold.ts'

/**
 * Whether to fold ungrouped rows. On Postgres it is faster to group them in SQL, because each row would be sent.
 */
export const foldsEachRow = ({ kind }: Pick<Db, 'kind'>): boolean => kind === 'sqlite'

/** Folds the rows of a query. @throws Fault `client_closed_request` when the signal aborts. */
export async function foldRows<Input, Result>(
  { db }: { db: Pick<Db, 'reportQuery' | 'kind'> },
  { module, createReducer }: Fold<Input, Result>,
  input: Input,
  statement: RawBuilder<unknown>,
  signal?: AbortSignal,
): Promise<Result> {
  if (signal?.aborted) throw clientClosedFault()
  const compiled = statement.compile(db.reportQuery)
  if (db.kind === 'sqlite') {
    const reduction: RowReduction = { module, input, parameters: compiled.parameters, signal }
    const { rows } = await db.reportQuery.executeQuery<{ result: Result }>(CompiledQuery.raw(compiled.sql, [reduction]))
    if (!rows[0]) throw clientClosedFault()
    return rows[0].result
  }
  const { rows } = await db.reportQuery.executeQuery<object>(compiled)
  const outcome = await foldInSlices(iterateValues(rows), createReducer(input), () => signal?.aborted === true)
  if (!outcome) throw clientClosedFault()
  return outcome.result
}

function* iterateValues(rows: readonly object[]): Generator<unknown[]> {
  for (const row of rows) yield Object.values(row)
}

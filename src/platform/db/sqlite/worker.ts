import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { isRowReduction, type RowReduction } from '../rows/fold.ts'
import type { RowsParameter, StatementBatch } from '../rows/insert-rows.ts'
import { Folds } from './folds.ts'
import { transactionStatements } from './statements.ts'

/** A request to this thread, which runs all statements of the embedded database, so that a slow disk does not block the event loop. */
type WorkerRequest = {
  id: number
  sql: string
  parameters: SQLInputValue[] | [RowsParameter] | [StatementBatch] | [RowReduction]
}
export type WorkerReply =
  /** The values of all rows in one list, because objects would repeat the names in each row. */
  | { id: number; names: string[]; values: unknown[]; changes: number }
  | { id: number; error: { message: string; code: string } }

const { path, readOnly } = workerData as { path: string; readOnly: boolean }
const database = new DatabaseSync(path, { readOnly })
database.exec('pragma busy_timeout = 2000')
// Deleted data is overwritten with zeros. The cache and the write-ahead log are larger than SQLite's defaults, because a
// batch of the ledger changes some thousand pages.
if (!readOnly)
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on;
    pragma cache_size = -16000; pragma wal_autocheckpoint = 4000`)
// A page of the request log reads some thousand rows, in the worst case each on a different page.
else database.exec('pragma cache_size = -24000')

/** The cache is cleared at this number, because the SQL of a statement with a list differs for each length. */
const maxPreparedStatements = 500
const preparedStatements = new Map<string, StatementSync>()

function prepare(sql: string): StatementSync {
  const cached = preparedStatements.get(sql)
  if (cached) return cached
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  if (preparedStatements.size >= maxPreparedStatements) preparedStatements.clear()
  preparedStatements.set(sql, statement)
  return statement
}

const emptyResult = { names: [], values: [] }

function runRequest({ id, sql, parameters }: WorkerRequest): WorkerReply {
  try {
    const [first] = parameters
    if (isBatch(first)) return { id, ...emptyResult, changes: runBatch(first) }
    const statement = prepare(sql)
    if (isRowsParameter(first)) return { id, ...emptyResult, changes: runForRows(statement, first.rowsOfValues) }
    const values = parameters as SQLInputValue[]
    if (statement.columns().length > 0) {
      const rows = statement.all(...values) as unknown as unknown[][]
      return { id, names: statement.columns().map(({ name }) => name), values: rows.flat(), changes: 0 }
    }
    const { changes } = statement.run(...values)
    return { id, ...emptyResult, changes: Number(changes) }
  } catch (error) {
    return toFailureReply(id, error)
  }
}

function toFailureReply(id: number, error: unknown): WorkerReply {
  const { message, code } = error as Error & { code?: string }
  return { id, error: { message, code: code ?? 'ERR_SQLITE_ERROR' } }
}

type Parameter = SQLInputValue | RowsParameter | StatementBatch | RowReduction | undefined

function isRowsParameter(parameter: Parameter): parameter is RowsParameter {
  return typeof parameter === 'object' && parameter !== null && 'rowsOfValues' in parameter
}

function isBatch(parameter: Parameter): parameter is StatementBatch {
  return typeof parameter === 'object' && parameter !== null && 'statements' in parameter
}

function runForRows(statement: StatementSync, rows: RowsParameter['rowsOfValues']): number {
  let changes = 0
  for (const row of rows) changes += Number(statement.run(...row).changes)
  return changes
}

/** Runs a whole transaction without further messages, so that it does not wait for a busy caller. */
function runBatch(batch: StatementBatch): number {
  prepare(transactionStatements.begin).run()
  try {
    let changes = 0
    for (const { sql, rows } of batch.statements) changes += runForRows(prepare(sql), rows)
    prepare(transactionStatements.commit).run()
    return changes
  } catch (error) {
    // SQLite can have rolled back already, for example because the disk is full.
    if (database.isTransaction) prepare(transactionStatements.rollback).run()
    throw error
  }
}

const port = parentPort
if (!port) throw new Error('db/sqlite/worker.ts runs as a worker thread only')
const folds = new Folds(path)
port.on('message', (message: WorkerRequest | { cancel: number } | 'close') => {
  if (message === 'close') {
    folds.close()
    database.close()
    port.close()
    return
  }
  if ('cancel' in message) return folds.cancel(message.cancel)
  const { id, sql, parameters } = message
  const [first] = parameters
  if (!isRowReduction(first)) return port.postMessage(runRequest(message))
  const folded = folds.run(id, sql, first).then((values) => ({ id, names: ['result'], values, changes: 0 }))
  void folded.catch((error) => toFailureReply(id, error)).then((reply) => port.postMessage(reply))
})
port.postMessage('ready')

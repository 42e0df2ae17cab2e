import { once } from 'node:events'
import type { SQLInputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { StatementResult } from '../rows/database-session.ts'
import { isRowReduction } from '../rows/fold.ts'
import type { WorkerReply } from './worker.ts'

/** The client of the worker thread that runs the embedded database. */
export type SqliteClient = {
  /** Runs a statement. If its only parameter is a `RowReduction`, the worker reduces the rows, and the signal can cancel it. */
  run: (sql: string, parameters: readonly unknown[]) => Promise<StatementResult>
  close: () => Promise<void>
}

/** Opens a database. @throws the worker's error if the file cannot be opened. */
export async function openSqlite(path: string, { readOnly = false } = {}): Promise<SqliteClient> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { path, readOnly } })
  const pendingCalls = new Map<number, { resolve: (rows: StatementResult) => void; reject: (error: Error) => void }>()
  let nextId = 0
  let failure: Error | undefined

  // The first message says that the file is open. Rejects with the error of the worker.
  await once(worker, 'message')
  worker.on('message', (reply: WorkerReply) => {
    const call = pendingCalls.get(reply.id)
    pendingCalls.delete(reply.id)
    if ('error' in reply) call?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }))
    else call?.resolve({ rows: toRows(reply), changes: reply.changes })
  })
  const fail = (error: Error) => {
    failure = error
    for (const call of pendingCalls.values()) call.reject(error)
    pendingCalls.clear()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The embedded database is closed.')))

  return {
    run: (sql, parameters) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure)
        const id = nextId++
        pendingCalls.set(id, { resolve, reject })
        worker.postMessage({ id, sql, parameters: parameters.map(toSendable) })
        const [first] = parameters
        if (isRowReduction(first)) onAbort(first.signal, () => worker.postMessage({ cancel: id }))
      }),
    async close() {
      if (failure) return
      const exit = once(worker, 'exit')
      worker.postMessage('close')
      await exit
    },
  }
}

/** Calls `act` when the signal aborts, or immediately if it already has, such as while the reader was opened. */
function onAbort(signal: AbortSignal | undefined, act: () => void): void {
  if (signal?.aborted) act()
  else signal?.addEventListener('abort', act, { once: true })
}

function toRows({ names, values }: Extract<WorkerReply, { names: string[] }>): StatementResult['rows'] {
  const rows: StatementResult['rows'] = []
  for (let at = 0; at < values.length; ) {
    const row: Record<string, unknown> = {}
    for (const name of names) row[name] = values[at++]
    rows.push(row)
  }
  return rows
}

/** A second connection, which reads committed data while the first one writes. Opened at its first use. */
export function createReader(path: string): SqliteClient {
  let opening: Promise<SqliteClient> | undefined
  let isClosed = false
  return {
    async run(sql, parameters) {
      if (isClosed) throw new Error('The embedded database is closed.')
      opening ??= openSqlite(path, { readOnly: true })
      const client = await opening.catch((error) => {
        opening = undefined
        throw error
      })
      return client.run(sql, parameters)
    },
    async close() {
      isClosed = true
      await (await opening)?.close()
    },
  }
}

/** Converts a parameter to a value that can be sent to other threads and processes. */
export function toSendable(value: unknown): unknown {
  if (!isRowReduction(value)) return toBindable(value)
  const { signal, ...reduction } = value
  return { ...reduction, parameters: reduction.parameters.map(toBindable) }
}

/** Converts a value to a type that SQLite accepts. */
function toBindable(value: unknown): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return value as SQLInputValue
}

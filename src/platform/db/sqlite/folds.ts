import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type Fold, foldInSlices, type RowReduction } from '../rows/fold.ts'

/**
 * Folds rows in the thread of a database, one statement after the other, on a separate connection. All slices of a
 * statement see the database as of its first slice; reads on the other connection see the current state.
 */
export class Folds {
  readonly #path: string
  #database: DatabaseSync | undefined
  #lastFold: Promise<unknown> = Promise.resolve()
  #isClosed = false
  /** The ids of pending calls that were not cancelled. */
  readonly #activeIds = new Set<number>()

  constructor(path: string) {
    this.#path = path
  }

  /** Folds the rows of a statement. @returns an empty list if it was cancelled. */
  run(id: number, sql: string, folded: RowReduction): Promise<unknown[]> {
    this.#activeIds.add(id)
    const result = this.#lastFold.then(() => this.#fold(id, sql, folded)).finally(() => this.#activeIds.delete(id))
    this.#lastFold = result.catch(() => {})
    return result
  }

  cancel(id: number): void {
    this.#activeIds.delete(id)
  }

  close(): void {
    this.#isClosed = true
    this.#activeIds.clear()
    this.#database?.close()
  }

  async #fold(id: number, sql: string, { module, input, parameters }: RowReduction): Promise<unknown[]> {
    const { fold } = (await import(module)) as { fold: Fold<unknown, unknown> }
    const isCancelled = () => !this.#activeIds.has(id)
    if (isCancelled() || this.#isClosed) return []
    this.#database ??= new DatabaseSync(this.#path, { readOnly: true, timeout: 2000 })
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    const rows = statement.iterate(...(parameters as SQLInputValue[])) as Iterable<unknown> as Iterable<unknown[]>
    const outcome = await foldInSlices(rows, fold.createReducer(input), isCancelled)
    return outcome ? [outcome.result] : []
  }
}

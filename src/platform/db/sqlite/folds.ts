import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type Fold, type FoldedRows, foldInSlices } from '../rows/fold.ts'

/**
 * Folds rows in the thread of a database, one statement after the other, on a separate connection. All slices of a
 * statement see the database as of its first slice; reads on the other connection see the current state.
 */
export class Folds {
  readonly #path: string
  #database: DatabaseSync | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  /** The ids of pending calls that were not cancelled. */
  readonly #wanted = new Set<number>()

  constructor(path: string) {
    this.#path = path
  }

  /** Folds the rows of a statement. @returns an empty list if it was cancelled. */
  run(id: number, sql: string, folded: FoldedRows): Promise<unknown[]> {
    this.#wanted.add(id)
    const result = this.#last.then(() => this.#fold(id, sql, folded)).finally(() => this.#wanted.delete(id))
    this.#last = result.catch(() => {})
    return result
  }

  cancel(id: number): void {
    this.#wanted.delete(id)
  }

  close(): void {
    this.#isClosed = true
    this.#wanted.clear()
    this.#database?.close()
  }

  async #fold(id: number, sql: string, { module, input, parameters }: FoldedRows): Promise<unknown[]> {
    const { fold } = (await import(module)) as { fold: Fold<unknown, unknown> }
    const isUnwanted = () => !this.#wanted.has(id)
    if (isUnwanted() || this.#isClosed) return []
    this.#database ??= new DatabaseSync(this.#path, { readOnly: true, timeout: 2000 })
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    const rows = statement.iterate(...(parameters as SQLInputValue[])) as Iterable<unknown> as Iterable<unknown[]>
    const outcome = await foldInSlices(rows, fold.begin(input), isUnwanted)
    return outcome ? [outcome.result] : []
  }
}

import type { Generation } from '../ledger/generation.ts'
import type { Spill } from './spill.ts'

/** The queue of metered requests in memory, until they are in the database or in a file. */
export class WaitingRows {
  readonly #spill: Pick<Spill, 'write'>
  readonly #rowsPerFile: number
  #queue: Generation[] = []
  /** The rows that are being written to a file. */
  #rowsBeingSpilled: readonly Generation[] = []
  /** The time at which the queue became non-empty, or at which rows were last removed from it, by `performance.now()`. */
  #progressAt = 0
  #pendingSave: Promise<void> | undefined

  constructor(spill: Pick<Spill, 'write'>, rowsPerFile: number) {
    this.#spill = spill
    this.#rowsPerFile = rowsPerFile
  }

  /** The number of rows, including those that are being written to a file. */
  get count(): number {
    return this.#queue.length + this.#rowsBeingSpilled.length
  }

  /** The number of rows that are not being written to a file. */
  get queuedCount(): number {
    return this.#queue.length
  }

  get oldest(): Generation | undefined {
    return this.#rowsBeingSpilled[0] ?? this.#queue[0]
  }

  /** The running write to a file. */
  get pendingSave(): Promise<void> | undefined {
    return this.#pendingSave
  }

  add(generation: Generation): void {
    if (this.#queue.length === 0) this.#progressAt = performance.now()
    this.#queue.push(generation)
  }

  peek(count: number): Generation[] {
    return this.#queue.slice(0, count)
  }

  /** Removes rows, returned by `peek`, that are in the database now. */
  removeWritten(rows: Generation[]): void {
    // A save may have taken them out of the queue meanwhile.
    if (this.#queue[0] === rows[0]) this.#queue = this.#queue.slice(rows.length)
    this.#progressAt = performance.now()
  }

  /** Whether rows have waited longer than this time without progress. */
  areLate(afterMs: number): boolean {
    return this.#queue.length > 0 && performance.now() - this.#progressAt > afterMs
  }

  /** Writes all rows to files. Rows that could not be written return to the front of the queue. */
  save(): Promise<void> {
    this.#pendingSave ??= this.#saveAll().finally(() => {
      this.#pendingSave = undefined
    })
    return this.#pendingSave
  }

  /** Includes rows that are being written to the database, because that write can fail. */
  async #saveAll(): Promise<void> {
    const rows = this.#queue
    let storedCount = 0
    this.#queue = []
    this.#rowsBeingSpilled = rows
    try {
      for (; storedCount < rows.length; storedCount += this.#rowsPerFile)
        await this.#spill.write(rows.slice(storedCount, storedCount + this.#rowsPerFile))
    } finally {
      this.#rowsBeingSpilled = []
      if (storedCount < rows.length) this.#queue = [...rows.slice(storedCount), ...this.#queue]
    }
  }
}

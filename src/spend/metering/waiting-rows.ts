import type { Generation } from '../ledger/generation.ts'
import type { Spill } from './spill.ts'

/** Metered requests in memory, in the order in which they came, until they are in the database or in a file. */
export class WaitingRows {
  readonly #spill: Pick<Spill, 'write'>
  readonly #perFile: number
  #queue: Generation[] = []
  /** The number of rows that are being written to a file. */
  #spilling = 0
  #spillingFirst: Generation | undefined
  /** When the queue began, or was last got from. */
  #movedAt = 0
  #saving: Promise<void> | undefined

  constructor(spill: Pick<Spill, 'write'>, perFile: number) {
    this.#spill = spill
    this.#perFile = perFile
  }

  /** The number of all, also of those that are being written to a file. */
  get count(): number {
    return this.#queue.length + this.#spilling
  }

  /** The number of those that are not being written to a file. */
  get queued(): number {
    return this.#queue.length
  }

  get oldest(): Generation | undefined {
    return this.#spillingFirst ?? this.#queue[0]
  }

  /** The writing to a file that is under way. */
  get saving(): Promise<void> | undefined {
    return this.#saving
  }

  add(generation: Generation): void {
    if (this.#queue.length === 0) this.#movedAt = performance.now()
    this.#queue.push(generation)
  }

  first(count: number): Generation[] {
    return this.#queue.slice(0, count)
  }

  /** These, which `first` gave, are in the database. */
  written(rows: Generation[]): void {
    // They may have gone to a file meanwhile.
    if (this.#queue[0] === rows[0]) this.#queue = this.#queue.slice(rows.length)
    this.#movedAt = performance.now()
  }

  /** Whether there are any, and none has been written for so long. */
  areLate(afterMs: number): boolean {
    return this.#queue.length > 0 && performance.now() - this.#movedAt > afterMs
  }

  /** Writes all to files. What could not be written is queued again, before what came meanwhile. */
  save(): Promise<void> {
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = undefined
    })
    return this.#saving
  }

  /** Rows that are being written to the database go to the file too: nobody knows whether that write will succeed. */
  async #saveAll(): Promise<void> {
    const taken = this.#queue
    let kept = 0
    this.#queue = []
    this.#spilling = taken.length
    this.#spillingFirst = taken[0]
    try {
      for (; kept < taken.length; kept += this.#perFile)
        await this.#spill.write(taken.slice(kept, kept + this.#perFile))
    } finally {
      this.#spilling = 0
      this.#spillingFirst = undefined
      if (kept < taken.length) this.#queue = [...taken.slice(kept), ...this.#queue]
    }
  }
}

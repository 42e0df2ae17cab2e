import type { PicoUsd } from '#platform/core/pico-usd.ts'

/**
 * What one account has spent in its period, and how far that is known: it is given to the ledger, the ledger has it, the
 * database has counted it. Each is a part of the one before.
 */
export class Spending {
  #total = 0n
  /** The part of the total that the ledger does not get before its request ends. */
  #unrecorded = 0n
  #written = 0n
  #confirmed = 0n

  add(spent: PicoUsd): void {
    this.#total += spent
  }

  /** The same for a request that goes on. @returns what is to be called when the ledger was given what was spent. */
  addEarly(spent: PicoUsd): () => void {
    this.#total += spent
    this.#unrecorded += spent
    return () => {
      this.#unrecorded -= spent
    }
  }

  /** The part of the total that was given to the ledger. */
  get recorded(): PicoUsd {
    return this.#total - this.#unrecorded
  }

  /** @param recorded the value of `recorded` when the ledger was asked to write; it has that now. */
  wrote(recorded: PicoUsd): void {
    if (recorded > this.#written) this.#written = recorded
  }

  /** The part of the total that the ledger has. */
  get written(): PicoUsd {
    return this.#written
  }

  /** The part that it lacks. */
  get unwritten(): PicoUsd {
    return this.#total - this.#written
  }

  /** The part of the total that the database has counted, by its answer to a report. */
  get confirmed(): PicoUsd {
    return this.#confirmed
  }

  confirm(reported: PicoUsd): void {
    this.#confirmed = reported
  }

  get isConfirmed(): boolean {
    return this.#total === this.#confirmed
  }
}

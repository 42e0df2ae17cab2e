import type { PicoUsd } from '#platform/core/pico-usd.ts'

/**
 * The spending of one account in its period, and three parts of it. `recorded` was passed to the ledger, `written` is stored by
 * the ledger, and the database has counted `confirmed` in the budget. Each is a part of the previous one.
 */
export class AccountSpending {
  #total = 0n
  /** The spending of requests still in progress, which the ledger gets when they end. */
  #unrecorded = 0n
  #written = 0n
  #confirmed = 0n

  add(spent: PicoUsd): void {
    this.#total += spent
  }

  /** Adds spending of a request still in progress. @returns a function to call when it was passed to the ledger. */
  addEarly(spent: PicoUsd): () => void {
    this.#total += spent
    this.#unrecorded += spent
    return () => {
      this.#unrecorded -= spent
    }
  }

  /** The part of the total that was passed to the ledger. */
  get recorded(): PicoUsd {
    return this.#total - this.#unrecorded
  }

  /** Notes that the ledger has stored everything up to this value of `recorded`. */
  noteWritten(recorded: PicoUsd): void {
    if (recorded > this.#written) this.#written = recorded
  }

  /** The part of the total that the ledger has stored. */
  get written(): PicoUsd {
    return this.#written
  }

  /** The part of the total that the ledger has not stored. */
  get unwritten(): PicoUsd {
    return this.#total - this.#written
  }

  /** The part of the total that the database has confirmed. */
  get confirmed(): PicoUsd {
    return this.#confirmed
  }

  /** Notes that the database has counted this amount of the total. */
  confirm(counted: PicoUsd): void {
    this.#confirmed = counted
  }

  get isConfirmed(): boolean {
    return this.#total === this.#confirmed
  }
}

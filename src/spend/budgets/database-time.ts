import type { Now } from '#platform/core/clock.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'

/**
 * The database's time as a server knows it. It is never behind, so that nothing is spent of a period that is over; it is
 * ahead for no longer than the last message was on its way.
 */
export class DatabaseTime {
  readonly #elapsed: Now
  #base: number

  /** @param now the server's own clock, which has to do until the database was heard. */
  constructor({ elapsed }: DatabaseClock, now: Now) {
    this.#elapsed = elapsed
    this.#base = now() - elapsed()
  }

  readonly elapsed = (): number => this.#elapsed()
  readonly now = (): number => this.#elapsed() + this.#base

  /** @param askedAt when it was asked, by `elapsed`. */
  heard(at: number, askedAt: number): void {
    this.#base = at - askedAt
  }
}

import type { Now } from '#platform/core/clock.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'

/**
 * An estimate of the database's time, ahead by at most the round-trip time of the last message. It is never behind, so
 * that no money is spent in a period that has ended.
 */
export class DatabaseTime {
  readonly #elapsed: Now
  #base: number

  /** @param now the clock of the server, used until the first response of the database. */
  constructor({ elapsed }: DatabaseClock, now: Now) {
    this.#elapsed = elapsed
    this.#base = now() - elapsed()
  }

  readonly elapsed = (): number => this.#elapsed()
  readonly now = (): number => this.#elapsed() + this.#base

  /** Adjusts the time to a response of the database. @param sentAt the time of the request, by `elapsed`. */
  adjust(at: number, sentAt: number): void {
    this.#base = at - sentAt
  }
}

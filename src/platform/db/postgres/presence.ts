import { ConnectionAbandoned } from './connection.ts'

export const lookEveryMs = 250

/** Between two looks no more is counted: then it was this process that stood still, and answers may lie unread. */
const mostCountedMs = 2 * lookEveryMs

type PresenceDeps = {
  /** After so long without any answer Postgres counts as away. */
  silenceMs: number
  /** Told once each time, with why: nobody is to wait for an answer any more. */
  onAway: (why: string) => void
  /** Called when it answers again, with the time since its last answer before the outage. */
  onBack: (awayMs: number) => void
}

/**
 * Whether Postgres answers at all. A frozen one takes connections and says nothing: each request would wait until its own
 * connection is given up. That it is asked all the time is the heartbeat's work (`signals.ts`).
 */
export class Presence {
  readonly #deps: PresenceDeps
  readonly #refusals = new Set<(error: Error) => void>()
  #lookedAt: number
  #silentMs = 0
  /** When Postgres last answered. */
  #heardAt: number
  #away: { error: Error } | undefined

  constructor(deps: PresenceDeps, now = performance.now()) {
    this.#deps = deps
    this.#lookedAt = now
    this.#heardAt = now
  }

  get isAway(): boolean {
    return this.#away !== undefined
  }

  /** Postgres answered, on whichever connection. */
  heard(now = performance.now()): void {
    this.#silentMs = 0
    const awayMs = now - this.#heardAt
    this.#heardAt = now
    if (!this.#away) return
    this.#away = undefined
    this.#deps.onBack(awayMs)
  }

  /**
   * What `ask` brings, which is not asked while Postgres is away.
   * @throws ConnectionAbandoned as soon as it is away, whatever becomes of `ask`.
   */
  async whileThere<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#away) throw this.#away.error
    const { promise, reject } = Promise.withResolvers<never>()
    this.#refusals.add(reject)
    return Promise.race([ask(), promise]).finally(() => this.#refusals.delete(reject))
  }

  /** To be called every `lookEveryMs`. @param now by a clock that nobody sets. */
  look(now = performance.now()): void {
    this.#silentMs += Math.min(now - this.#lookedAt, mostCountedMs)
    this.#lookedAt = now
    if (this.#away || this.#silentMs < this.#deps.silenceMs) return
    const why = `Postgres has answered nothing for ${this.#deps.silenceMs} ms: nobody waits for it until it does`
    const error = new ConnectionAbandoned(why)
    this.#away = { error }
    for (const refuse of this.#refusals) refuse(error)
    this.#deps.onAway(why)
  }
}

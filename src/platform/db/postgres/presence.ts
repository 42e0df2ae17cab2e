import { ConnectionAbandoned } from './connection.ts'

export const checkEveryMs = 250

/** The limit of silence counted between two checks. A longer gap means that this process was blocked, and responses are unread. */
const maxCountedMs = 2 * checkEveryMs

type PresenceDeps = {
  /** The time without a response after which Postgres counts as unavailable. */
  silenceMs: number
  /** Called once per outage, with the reason: pending requests must not wait any longer. */
  onAway: (why: string) => void
  /** Called when it answers again, with the time since its last answer before the outage. */
  onRecovered: (outageMs: number) => void
}

/**
 * Detects whether Postgres responds at all. A frozen server accepts connections and does not respond: each request would wait for
 * its own timeout. The heartbeat in `signals.ts` sends queries all the time.
 */
export class Presence {
  readonly #deps: PresenceDeps
  readonly #refusals = new Set<(error: Error) => void>()
  #lookedAt: number
  #silentMs = 0
  /** When Postgres last responded. */
  #answeredAt: number
  #outage: { error: Error } | undefined

  constructor(deps: PresenceDeps, now = performance.now()) {
    this.#deps = deps
    this.#lookedAt = now
    this.#answeredAt = now
  }

  get isUnavailable(): boolean {
    return this.#outage !== undefined
  }

  /** Notes a response of Postgres on any connection. */
  noteAnswer(now = performance.now()): void {
    this.#silentMs = 0
    const outageMs = now - this.#answeredAt
    this.#answeredAt = now
    if (!this.#outage) return
    this.#outage = undefined
    this.#deps.onRecovered(outageMs)
  }

  /**
   * Runs `ask`, unless Postgres is unavailable.
   * @throws ConnectionAbandoned as soon as it is unavailable, without waiting for `ask`.
   */
  async unlessUnavailable<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#outage) throw this.#outage.error
    const { promise, reject } = Promise.withResolvers<never>()
    this.#refusals.add(reject)
    return Promise.race([ask(), promise]).finally(() => this.#refusals.delete(reject))
  }

  /** Checks for silence. Must be called every `checkEveryMs`. @param now by a monotonic clock. */
  look(now = performance.now()): void {
    this.#silentMs += Math.min(now - this.#lookedAt, maxCountedMs)
    this.#lookedAt = now
    if (this.#outage || this.#silentMs < this.#deps.silenceMs) return
    const why = `Postgres has not answered for ${this.#deps.silenceMs} ms: requests fail immediately until it answers`
    const error = new ConnectionAbandoned(why)
    this.#outage = { error }
    for (const refuse of this.#refusals) refuse(error)
    this.#deps.onAway(why)
  }
}

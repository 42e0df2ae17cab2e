import { ConnectionAbandoned } from './connection.ts'

export const checkEveryMs = 250

/** The maximum silence counted between two checks. In a longer gap this process was blocked, and responses are unread. */
const maxCountedMs = 2 * checkEveryMs

type OutageDetectorDeps = {
  /** The time without a response after which Postgres counts as unavailable. */
  silenceMs: number
  /** Called once per outage, with the reason: pending requests must not wait any longer. */
  onUnavailable: (reason: string) => void
  /** Called when it answers again, with the time since its last response before the outage. */
  onRecovered: (outageMs: number) => void
}

/**
 * Detects whether Postgres responds at all. A frozen server accepts connections and does not respond: each request would wait for
 * its own timeout. The heartbeat in `signals.ts` sends queries all the time.
 */
export class OutageDetector {
  readonly #deps: OutageDetectorDeps
  readonly #refusals = new Set<(error: Error) => void>()
  #checkedAt: number
  #silentMs = 0
  /** When Postgres last responded. */
  #respondedAt: number
  #outage: { error: Error } | undefined

  constructor(deps: OutageDetectorDeps, now = performance.now()) {
    this.#deps = deps
    this.#checkedAt = now
    this.#respondedAt = now
  }

  get isUnavailable(): boolean {
    return this.#outage !== undefined
  }

  /** Records a response of Postgres on any connection. */
  recordResponse(now = performance.now()): void {
    this.#silentMs = 0
    const outageMs = now - this.#respondedAt
    this.#respondedAt = now
    if (!this.#outage) return
    this.#outage = undefined
    this.#deps.onRecovered(outageMs)
  }

  /**
   * Calls `run`, unless Postgres is unavailable.
   * @throws ConnectionAbandoned as soon as it is unavailable, without waiting for `run`.
   */
  async runIfAvailable<T>(run: () => Promise<T>): Promise<T> {
    if (this.#outage) throw this.#outage.error
    const { promise, reject } = Promise.withResolvers<never>()
    this.#refusals.add(reject)
    return Promise.race([run(), promise]).finally(() => this.#refusals.delete(reject))
  }

  /** Checks for silence. Must be called every `checkEveryMs`. @param now by a monotonic clock. */
  check(now = performance.now()): void {
    this.#silentMs += Math.min(now - this.#checkedAt, maxCountedMs)
    this.#checkedAt = now
    if (this.#outage || this.#silentMs < this.#deps.silenceMs) return
    const reason = `Postgres has not responded for ${this.#deps.silenceMs} ms: requests fail immediately until it responds`
    const error = new ConnectionAbandoned(reason)
    this.#outage = { error }
    for (const refuse of this.#refusals) refuse(error)
    this.#deps.onUnavailable(reason)
  }
}

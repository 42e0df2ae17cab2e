import type { Generation } from './generation.ts'

const maxPerSecond = 10

/**
 * Limits how many refused requests of one key are stored in each second. A client that repeats a forbidden request again
 * and again cannot fill the disk. Metrics and the log contain all of them.
 */
export class RefusalQuota {
  readonly #counts = new Map<string, number>()
  #second = 0

  /** Whether this request is stored. @param now in milliseconds, by a monotonic clock. */
  admits({ outcome, caller }: Pick<Generation, 'outcome' | 'caller'>, now: number): boolean {
    if (outcome !== 'refused') return true
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#counts.clear()
    }
    const count = this.#counts.get(caller.keyHash) ?? 0
    this.#counts.set(caller.keyHash, count + 1)
    return count < maxPerSecond
  }
}

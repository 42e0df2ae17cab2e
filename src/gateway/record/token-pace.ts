import type { PaceNote } from '#spend/ledger/generation.ts'

/** The initial length of an interval. A shorter response has no pace. */
export const minIntervalMs = 100
const maxIntervals = 24

/** The shortest time over which a speed is measured. */
const minSpeedMs = 200

/** The bytes of a response by time, in up to 24 equal intervals. Their length doubles for longer responses. */
export class TokenPace {
  #intervalMs = minIntervalMs
  #bytes: number[]
  #totalBytes: number
  /** The first piece after the first interval: its time and the bytes up to it. The speed is measured from it on. */
  #speedStart: { ms: number; bytes: number } | undefined
  #lastMs = 0

  /** @param firstBytes the bytes of the first interval. */
  constructor(firstBytes: number) {
    this.#bytes = [firstBytes]
    this.#totalBytes = firstBytes
  }

  /** @param ms since the first content. */
  add(ms: number, bytes: number): void {
    let index = Math.floor(ms / this.#intervalMs)
    while (index >= maxIntervals) {
      this.#intervalMs *= 2
      this.#bytes = mergePairs(this.#bytes)
      index = Math.floor(ms / this.#intervalMs)
    }
    while (this.#bytes.length <= index) this.#bytes.push(0)
    this.#bytes[index]! += bytes
    this.#totalBytes += bytes
    this.#lastMs = ms
    this.#speedStart ??= { ms, bytes: this.#totalBytes }
  }

  /**
   * The tokens per second after the first interval; undefined if they came in too short a time. The first interval does
   * not count, because it has everything that arrived while its reader was busy.
   * @param tokens the total.
   */
  tokensPerSecond(tokens: number): number | undefined {
    if (!this.#speedStart) return undefined
    const ms = this.#lastMs - this.#speedStart.ms
    if (ms < minSpeedMs) return undefined
    return ((this.#totalBytes - this.#speedStart.bytes) / this.#totalBytes) * tokens * (1000 / ms)
  }

  /** Distributes the tokens over the intervals in proportion to their bytes. @param tokens the total. */
  toNote(tokens: number): PaceNote | undefined {
    if (this.#totalBytes === 0 || tokens === 0) return undefined
    let bytesSoFar = 0
    let tokensSoFar = 0
    const tokensByInterval = this.#bytes.map((bytes) => {
      bytesSoFar += bytes
      const previous = tokensSoFar
      tokensSoFar = Math.round((bytesSoFar / this.#totalBytes) * tokens)
      return tokensSoFar - previous
    })
    return { everyMs: this.#intervalMs, tokens: tokensByInterval }
  }
}

function mergePairs(bytes: number[]): number[] {
  const evenIndexes = Array.from({ length: Math.ceil(bytes.length / 2) }, (_, pair) => pair * 2)
  return evenIndexes.map((index) => bytes[index]! + (bytes[index + 1] ?? 0))
}

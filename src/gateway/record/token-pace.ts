import type { PaceNote } from '#spend/ledger/generation.ts'

/** The length of a stretch at first. An answer that is done sooner has no pace to tell. */
export const shortestMs = 100
const mostStretches = 24

/** How much of an answer came when: in a few equal stretches of time, which double as it goes on. */
export class Pace {
  #stretchMs = shortestMs
  #bytes: number[]

  /** @param before the bytes of the first stretch. */
  constructor(before: number) {
    this.#bytes = [before]
  }

  /** @param ms since the first piece. */
  add(ms: number, bytes: number): void {
    let at = Math.floor(ms / this.#stretchMs)
    while (at >= mostStretches) {
      this.#stretchMs *= 2
      this.#bytes = halved(this.#bytes)
      at = Math.floor(ms / this.#stretchMs)
    }
    while (this.#bytes.length <= at) this.#bytes.push(0)
    this.#bytes[at]! += bytes
  }

  /** @param tokens how many came in all: each stretch has as many of them as it has of the bytes. */
  note(tokens: number): PaceNote | undefined {
    const all = this.#bytes.reduce((sum, bytes) => sum + bytes, 0)
    if (all === 0 || tokens === 0) return undefined
    let [came, told] = [0, 0]
    const each = this.#bytes.map((bytes) => {
      came += bytes
      const by = Math.round((came / all) * tokens)
      const here = by - told
      told = by
      return here
    })
    return { everyMs: this.#stretchMs, tokens: each }
  }
}

function halved(bytes: number[]): number[] {
  const pairs = Array.from({ length: Math.ceil(bytes.length / 2) }, (_, at) => at * 2)
  return pairs.map((at) => bytes[at]! + (bytes[at + 1] ?? 0))
}

import { type ReportedCounts, readCount } from './token-counts.ts'

const summedCounts = ['completion', 'reasoning', 'audioCompletion', 'imageCompletion'] as const
type Sums = Partial<Record<(typeof summedCounts)[number], number>>

/**
 * Detects servers whose usage counts only the tokens of each event, and adds the counts up. Most servers send the counts of the
 * response so far: such counts never decrease, and do not stay constant while much content arrives.
 */
export class CompletionIncrements {
  #sums: Sums = {}
  #largestCount = 0
  #smallestCount = Number.POSITIVE_INFINITY
  #latestCount = 0
  #reportCount = 0
  #hasDecreased = false
  #contentLength = 0

  /**
   * @param reported the counts of one event.
   * @param contentLength the characters of its content. Counts of an event without content are those of the whole response.
   */
  add(reported: ReportedCounts, contentLength: number): void {
    this.#contentLength += contentLength
    const completion = readCount(reported.completion)
    if (!completion) return
    if (contentLength === 0) {
      // A count of the whole response that is below the sum does not replace it.
      if (completion >= (this.#sums.completion ?? 0)) this.#sums = {}
      for (const name of summedCounts)
        this.#sums[name] = Math.max(this.#sums[name] ?? 0, readCount(reported[name]) ?? 0)
      return
    }
    for (const name of summedCounts) this.#sums[name] = (this.#sums[name] ?? 0) + (readCount(reported[name]) ?? 0)
    if (completion < this.#latestCount) this.#hasDecreased = true
    this.#latestCount = completion
    this.#largestCount = Math.max(this.#largestCount, completion)
    this.#smallestCount = Math.min(this.#smallestCount, completion)
    this.#reportCount++
  }

  /** The counts of the whole response. @param latest the counts of the latest event, merged with those before. */
  correct(latest: ReportedCounts): ReportedCounts {
    const { completion = 0 } = this.#sums
    if (!(this.#hasDecreased || this.#isConstant) || completion <= (readCount(latest.completion) ?? 0)) return latest
    return {
      ...latest,
      ...this.#sums,
      otherCompletion: undefined,
      total: undefined,
      mismatch: `completion tokens that do not increase during the stream, and add up to ${completion}`,
    }
  }

  /** Whether all events have the same count although the content is too long for it. */
  get #isConstant(): boolean {
    if (this.#reportCount < minRepeated || this.#smallestCount !== this.#largestCount) return false
    return this.#largestCount === 1 || this.#contentLength > this.#largestCount * maxTokenLength
  }
}

/** Fewer events with the same count prove nothing, because two can have parts of the same token. */
const minRepeated = 3

/** The average token of a response is not longer, in characters. */
const maxTokenLength = 8

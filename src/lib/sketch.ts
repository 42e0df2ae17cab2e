/** The relative error of a quantile is at most this. */
const accuracy = 0.01
const gamma = (1 + accuracy) / (1 - accuracy)
const lnGamma = Math.log(gamma)

/** Beyond these nothing real is measured, and with them a sketch has at most some 1,500 buckets. */
const [smallest, largest] = [1e-3, 1e9]

const bucketOf = (value: number) => Math.ceil(Math.log(value) / lnGamma)
const lowestBucket = bucketOf(smallest)
const allBuckets = bucketOf(largest) - lowestBucket + 1

/** Where texts are added up: a bucket each, and all of them empty in between. */
const counted = new Int32Array(allBuckets)
const codes = { space: 32, comma: 44, minus: 45, zero: 48, colon: 58 } as const

/** What stands for a step to the next bucket but so many. */
const gaps = ['', ',', ',,', ',,,'] as const
const longestGap = gaps.length - 1

/**
 * The distribution of positive numbers as counts in buckets that grow by 2 %, from which any quantile is told within
 * 1 %. Sketches add up: of several minutes, or of several servers. It is the DDSketch of Masson, Rim and Lee
 * (VLDB 2019) with a sparse store, since a minute of one endpoint fills a few dozen buckets.
 */
export class Sketch {
  count = 0
  readonly #buckets: number[] = []
  readonly #counts: number[] = []

  accept(value: number): void {
    const within = Math.min(Math.max(value, smallest), largest)
    this.#add(bucketOf(within), 1)
  }

  merge(other: Sketch): void {
    for (let at = 0; at < other.#buckets.length; at++) this.#add(other.#buckets[at]!, other.#counts[at]!)
  }

  /** @param share from 0 to 1. Undefined when nothing was accepted. */
  quantile(share: number): number | undefined {
    const rank = share * (this.count - 1)
    let passed = 0
    for (let at = 0; at < this.#buckets.length; at++) {
      passed += this.#counts[at]!
      if (passed > rank) return (2 * gamma ** this.#buckets[at]!) / (gamma + 1)
    }
    return undefined
  }

  /** Runs of neighbours: `bucket:count,count,,count` from that bucket on, with a space between them. */
  toText(): string {
    let text = ''
    let before = Number.NEGATIVE_INFINITY
    for (let at = 0; at < this.#buckets.length; at++) {
      const bucket = this.#buckets[at]!
      const gap = bucket - before
      if (gap <= longestGap) text += gaps[gap]
      else text += text === '' ? `${bucket}:` : ` ${bucket}:`
      text += this.#counts[at]
      before = bucket
    }
    return text
  }

  /** Of a text, or of several with a space between, which a database makes of many rows at once. */
  static fromText(text: string): Sketch {
    let [least, most] = [allBuckets, -1]
    let number = 0
    let bucket = 0
    let sign = 1
    for (let at = 0; at <= text.length; at++) {
      const code = at < text.length ? text.charCodeAt(at) : codes.space
      if (code >= codes.zero && code < codes.colon) number = number * 10 + code - codes.zero
      else if (code === codes.minus) sign = -1
      else if (code === codes.colon) {
        bucket = sign * number - lowestBucket
        if (bucket < least) least = bucket
        number = 0
        sign = 1
      } else {
        counted[bucket]! += number
        if (bucket > most) most = bucket
        if (code === codes.comma) bucket++
        number = 0
      }
    }
    return Sketch.#taken(least, most)
  }

  /** What stands in `counted`, which is empty again then. */
  static #taken(least: number, most: number): Sketch {
    const sketch = new Sketch()
    const buckets = sketch.#buckets
    const counts = sketch.#counts
    let total = 0
    for (let at = least; at <= most; at++) {
      const count = counted[at]!
      if (count === 0) continue
      buckets.push(at + lowestBucket)
      counts.push(count)
      total += count
      counted[at] = 0
    }
    sketch.count = total
    return sketch
  }

  #add(bucket: number, count: number): void {
    this.count += count
    let [low, high] = [0, this.#buckets.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#buckets[middle]! < bucket) low = middle + 1
      else high = middle
    }
    if (this.#buckets[low] === bucket) {
      this.#counts[low]! += count
      return
    }
    this.#buckets.splice(low, 0, bucket)
    this.#counts.splice(low, 0, count)
  }
}

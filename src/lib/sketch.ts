/** The relative error of a quantile is at most this. */
const accuracy = 0.01
const gamma = (1 + accuracy) / (1 - accuracy)
const lnGamma = Math.log(gamma)

/** Beyond these nothing real is measured, and with them a sketch has at most some 1,500 buckets. */
const [smallest, largest] = [1e-3, 1e9]

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
    this.#add(Math.ceil(Math.log(within) / lnGamma), 1)
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

  /** `bucket:count` pairs, in the order of the buckets. */
  toText(): string {
    return this.#buckets.map((bucket, at) => `${bucket}:${this.#counts[at]}`).join(' ')
  }

  static fromText(text: string): Sketch {
    const sketch = new Sketch()
    for (const pair of text === '' ? [] : text.split(' ')) {
      const colon = pair.indexOf(':')
      const count = Number(pair.slice(colon + 1))
      sketch.#buckets.push(Number(pair.slice(0, colon)))
      sketch.#counts.push(count)
      sketch.count += count
    }
    return sketch
  }

  /** Of several texts, one after the other with a space between: what a database makes of many rows at once. */
  static fromTexts(texts: string): Sketch {
    const counts = new Map<number, number>()
    for (let at = 0; at < texts.length; ) {
      const colon = texts.indexOf(':', at)
      const space = texts.indexOf(' ', colon)
      const end = space < 0 ? texts.length : space
      const bucket = Number(texts.slice(at, colon))
      counts.set(bucket, (counts.get(bucket) ?? 0) + Number(texts.slice(colon + 1, end)))
      at = end + 1
    }
    const sketch = new Sketch()
    for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
      sketch.#buckets.push(bucket)
      sketch.#counts.push(count)
      sketch.count += count
    }
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

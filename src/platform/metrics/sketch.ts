/** The maximum relative error of a quantile. */
const accuracy = 0.01
const gamma = (1 + accuracy) / (1 - accuracy)
const lnGamma = Math.log(gamma)

/** Values are clamped to this range, so that a sketch has at most about 1,500 buckets. Real measurements lie within. */
const [smallest, largest] = [1e-3, 1e9]

const bucketOf = (value: number) => Math.ceil(Math.log(value) / lnGamma)
const bucketMiddle = (bucket: number) => (2 * gamma ** bucket) / (gamma + 1)
const lowestBucket = bucketOf(smallest)
const allBuckets = bucketOf(largest) - lowestBucket + 1

/** The value that each bucket represents. */
const bucketValues = Float64Array.from({ length: allBuckets }, (_, at) => bucketMiddle(at + lowestBucket))

/** Shared memory for summing the buckets of serialized sketches. All zero between calls. */
const sharedCounts = new Int32Array(allBuckets)
const codes = { space: 32, comma: 44, minus: 45, zero: 48, colon: 58 } as const

/** The separators of two counts, by the distance of their buckets. A larger distance starts a new run. */
const gaps = ['', ',', ',,', ',,,'] as const
const longestGap = gaps.length - 1

/** Spare buckets that a growing sketch allocates, because later values are mostly near earlier ones. */
const spareBuckets = 16

const emptyCounts = new Int32Array(0)

/**
 * A distribution of positive numbers: the DDSketch of Masson, Rim and Lee (VLDB 2019). It counts values in buckets that
 * grow by 2 %, so quantiles have an error of at most 1 %. Sketches of several minutes or servers can be merged. The counts
 * are a dense array from the lowest bucket to the highest: measurements lie so close together that this takes less memory
 * than pairs of bucket and count.
 */
export class Sketch {
  count = 0
  /** The bucket number of the first count. */
  #first = 0
  #counts: Int32Array = emptyCounts

  accept(value: number): void {
    const clampedValue = Math.min(Math.max(value, smallest), largest)
    const bucket = bucketOf(clampedValue)
    this.#extendTo(bucket, bucket)
    this.#counts[bucket - this.#first]! += 1
    this.count += 1
  }

  merge(other: Sketch): void {
    const counts = other.#counts
    if (other.count === 0) return
    this.#extendTo(other.#first, other.#first + counts.length - 1)
    const own = this.#counts
    const shift = other.#first - this.#first
    for (let at = 0; at < counts.length; at++) own[at + shift]! += counts[at]!
    this.count += other.count
  }

  /** Extends the array to the buckets `from` to `to`. */
  #extendTo(from: number, to: number): void {
    const counts = this.#counts
    const end = this.#first + counts.length - 1
    if (counts.length > 0 && from >= this.#first && to <= end) return
    const isEmpty = counts.length === 0
    const first = isEmpty ? from : Math.min(from < this.#first ? from - spareBuckets : from, this.#first)
    const last = isEmpty ? to : Math.max(to > end ? to + spareBuckets : to, end)
    const extended = new Int32Array(last - first + 1)
    extended.set(counts, isEmpty ? 0 : this.#first - first)
    this.#first = first
    this.#counts = extended
  }

  /** @param share from 0 to 1. @returns undefined for an empty sketch. */
  quantile(share: number): number | undefined {
    const rank = share * (this.count - 1)
    const counts = this.#counts
    let cumulative = 0
    for (let at = 0; at < counts.length; at++) {
      cumulative += counts[at]!
      if (cumulative > rank) return bucketMiddle(at + this.#first)
    }
    return undefined
  }

  /** Serializes the sketch as runs of adjacent buckets, `bucket:count,count,,count`, separated by spaces. */
  toText(): string {
    let text = ''
    let previousIndex = Number.NEGATIVE_INFINITY
    for (let at = 0; at < this.#counts.length; at++) {
      const count = this.#counts[at]!
      if (count === 0) continue
      const gap = at - previousIndex
      if (gap <= longestGap) text += gaps[gap]
      else text += text === '' ? `${at + this.#first}:` : ` ${at + this.#first}:`
      text += count
      previousIndex = at
    }
    return text
  }

  /** Parses a serialized sketch. Several, separated by spaces as a database concatenates them, are summed. */
  static fromText(text: string): Sketch {
    const sketch = new Sketch()
    sketch.count = parseCounts(text)
    if (sketch.count === 0) return sketch
    sketch.#first = lowestUsed + lowestBucket
    sketch.#counts = sharedCounts.slice(lowestUsed, highestUsed + 1)
    sharedCounts.fill(0, lowestUsed, highestUsed + 1)
    return sketch
  }
}

/**
 * Computes quantiles of a serialized sketch, or of the sum of several separated by spaces. It creates no `Sketch`: a report
 * needs one for each row, and allocating their arrays would take longer than counting.
 * @param shares in ascending order.
 * @param quantiles receives the results from index `at` on; NaN for an empty sketch.
 */
export function writeQuantiles(text: string, shares: readonly number[], quantiles: Float64Array, at: number): void {
  const count = parseCounts(text)
  if (count === 0) return void quantiles.fill(Number.NaN, at, at + shares.length)
  let bucket = lowestUsed
  let cumulative = sharedCounts[bucket]!
  for (let share = 0; share < shares.length; share++) {
    const rank = shares[share]! * (count - 1)
    while (cumulative <= rank && bucket < highestUsed) {
      bucket++
      cumulative += sharedCounts[bucket]!
    }
    quantiles[at + share] = bucketValues[bucket]!
  }
  sharedCounts.fill(0, lowestUsed, highestUsed + 1)
}

/** The range of non-zero buckets in `sharedCounts`, as the last `parseCounts` set it. */
let lowestUsed = 0
let highestUsed = 0

/** Serialized sketches are parsed as bytes: reading characters of a string takes three times as long. */
const bytes = Buffer.alloc(16_384)

/**
 * Adds the counts of serialized sketches to `sharedCounts`, which the caller must clear, and sets `lowestUsed` and
 * `highestUsed`. @returns the number of values.
 */
function parseCounts(text: string): number {
  lowestUsed = allBuckets
  highestUsed = -1
  let total = 0
  let number = 0
  let bucket = 0
  let sign = 1
  for (let from = 0; from < text.length; from += bytes.length) {
    const length = bytes.write(from === 0 ? text : text.slice(from), 0, 'latin1')
    for (let at = 0; at < length; at++) {
      const code = bytes[at]!
      if (code >= codes.zero && code < codes.colon) number = number * 10 + code - codes.zero
      else if (code === codes.comma) {
        sharedCounts[bucket]! += number
        total += number
        number = 0
        bucket++
      } else if (code === codes.colon) {
        bucket = sign * number - lowestBucket
        if (bucket < lowestUsed) lowestUsed = bucket
        number = 0
        sign = 1
      } else if (code === codes.minus) sign = -1
      else {
        sharedCounts[bucket]! += number
        total += number
        number = 0
        if (bucket > highestUsed) highestUsed = bucket
      }
    }
  }
  // The last count is not followed by a space.
  if (number > 0) sharedCounts[bucket]! += number
  if (bucket > highestUsed) highestUsed = bucket
  return total + number
}

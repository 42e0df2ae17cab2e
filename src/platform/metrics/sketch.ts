/** The relative error of a quantile is at most this. */
const accuracy = 0.01
const gamma = (1 + accuracy) / (1 - accuracy)
const lnGamma = Math.log(gamma)

/** Beyond these nothing real is measured, and with them a sketch has at most some 1,500 buckets. */
const [smallest, largest] = [1e-3, 1e9]

const bucketOf = (value: number) => Math.ceil(Math.log(value) / lnGamma)
const middleOf = (bucket: number) => (2 * gamma ** bucket) / (gamma + 1)
const lowestBucket = bucketOf(smallest)
const allBuckets = bucketOf(largest) - lowestBucket + 1

/** What each bucket stands for. */
const values = Float64Array.from({ length: allBuckets }, (_, at) => middleOf(at + lowestBucket))

/** Where texts are added up: a bucket each, and all of them empty in between. */
const counted = new Int32Array(allBuckets)
const codes = { space: 32, comma: 44, minus: 45, zero: 48, colon: 58 } as const

/** What stands for a step to the next bucket but so many. */
const gaps = ['', ',', ',,', ',,,'] as const
const longestGap = gaps.length - 1

/** Room that a sketch takes beyond what it needs: values that come later are mostly near those that came. */
const room = 16

const none = new Int32Array(0)

/**
 * The distribution of positive numbers as counts in buckets that grow by 2 %, from which any quantile is told within
 * 1 %. Sketches add up: of several minutes, or of several servers. It is the DDSketch of Masson, Rim and Lee
 * (VLDB 2019). From the lowest bucket to the highest all have their place, with the empty ones in between: what is
 * measured lies so close together that this is less than pairs of bucket and count.
 */
export class Sketch {
  count = 0
  /** The bucket of the first count. */
  #first = 0
  #counts: Int32Array = none

  accept(value: number): void {
    const within = Math.min(Math.max(value, smallest), largest)
    const bucket = bucketOf(within)
    this.#hold(bucket, bucket)
    this.#counts[bucket - this.#first]! += 1
    this.count += 1
  }

  merge(other: Sketch): void {
    const counts = other.#counts
    if (other.count === 0) return
    this.#hold(other.#first, other.#first + counts.length - 1)
    const own = this.#counts
    const shift = other.#first - this.#first
    for (let at = 0; at < counts.length; at++) own[at + shift]! += counts[at]!
    this.count += other.count
  }

  /** Has a place for each bucket from one to another. */
  #hold(from: number, to: number): void {
    const counts = this.#counts
    const end = this.#first + counts.length - 1
    if (counts.length > 0 && from >= this.#first && to <= end) return
    const isEmpty = counts.length === 0
    const first = isEmpty ? from : Math.min(from < this.#first ? from - room : from, this.#first)
    const last = isEmpty ? to : Math.max(to > end ? to + room : to, end)
    const wider = new Int32Array(last - first + 1)
    wider.set(counts, isEmpty ? 0 : this.#first - first)
    this.#first = first
    this.#counts = wider
  }

  /** @param share from 0 to 1. Undefined when nothing was accepted. */
  quantile(share: number): number | undefined {
    const rank = share * (this.count - 1)
    const counts = this.#counts
    let passed = 0
    for (let at = 0; at < counts.length; at++) {
      passed += counts[at]!
      if (passed > rank) return middleOf(at + this.#first)
    }
    return undefined
  }

  /** Runs of neighbours: `bucket:count,count,,count` from that bucket on, with a space between them. */
  toText(): string {
    let text = ''
    let before = Number.NEGATIVE_INFINITY
    for (let at = 0; at < this.#counts.length; at++) {
      const count = this.#counts[at]!
      if (count === 0) continue
      const gap = at - before
      if (gap <= longestGap) text += gaps[gap]
      else text += text === '' ? `${at + this.#first}:` : ` ${at + this.#first}:`
      text += count
      before = at
    }
    return text
  }

  /** Of a text, or of several with a space between, which a database makes of many rows at once. */
  static fromText(text: string): Sketch {
    const sketch = new Sketch()
    sketch.count = countAll(text)
    if (sketch.count === 0) return sketch
    sketch.#first = least + lowestBucket
    sketch.#counts = counted.slice(least, most + 1)
    counted.fill(0, least, most + 1)
    return sketch
  }
}

/**
 * What a sketch of a text, or of several with a space between, would tell. None is made: a report has one for each of its
 * rows, and their arrays would cost more than the counting.
 * @param shares in ascending order.
 * @param quantiles gets them in that order from `at` on; where nothing was accepted, what is not a number.
 */
export function writeQuantiles(text: string, shares: readonly number[], quantiles: Float64Array, at: number): void {
  const count = countAll(text)
  if (count === 0) return void quantiles.fill(Number.NaN, at, at + shares.length)
  let bucket = least
  let passed = counted[bucket]!
  for (let share = 0; share < shares.length; share++) {
    for (const rank = shares[share]! * (count - 1); passed <= rank && bucket < most; passed += counted[bucket]!)
      bucket++
    quantiles[at + share] = values[bucket]!
  }
  counted.fill(0, least, most + 1)
}

/** The buckets in `counted` between which all counts are. */
let least = 0
let most = 0

/** Texts are read as bytes: to ask a string for each of its characters takes three times as long. */
const bytes = Buffer.alloc(16_384)

/** Counts into `counted`, which whoever calls empties again. @returns how many values there are. */
function countAll(text: string): number {
  least = allBuckets
  most = -1
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
        counted[bucket]! += number
        total += number
        number = 0
        bucket++
      } else if (code === codes.colon) {
        bucket = sign * number - lowestBucket
        if (bucket < least) least = bucket
        number = 0
        sign = 1
      } else if (code === codes.minus) sign = -1
      else {
        counted[bucket]! += number
        total += number
        number = 0
        if (bucket > most) most = bucket
      }
    }
  }
  // After the last one there is no space.
  if (number > 0) counted[bucket]! += number
  if (bucket > most) most = bucket
  return total + number
}

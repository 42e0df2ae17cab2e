/** A value of a metric with its labels. */
type Sample = { metricName?: string; labels: Record<string, string>; value: number }

/** A metric that `prom-client` reads when metrics are scraped. */
export type Metric = {
  name: string
  get: () => Promise<MetricValues>
}

/**
 * How the values of several processes are combined. Usually the sum; not if all processes report the same value, or if only
 * the worst value matters.
 */
type Aggregator = 'sum' | 'first' | 'min' | 'max' | 'average' | 'omit'

/** The current values of a metric, in the form of `prom-client`. */
export type MetricValues = { name: string; help: string; type: string; aggregator: Aggregator; values: Sample[] }

type Description<Labels extends readonly string[]> = { name: string; help: string; labels: Labels }
type Values<Labels extends readonly string[]> = { [Index in keyof Labels]: string }

/** The values of the next label, each with the level of the label after it, or with the counter of the last label. */
type Level<Value> = Map<string, Level<Value> | Value>

const newLevel = <Value>(): Level<Value> => new Map()

/**
 * The counters of a metric by label values. Counting a request only adds to a number; labels are formatted when metrics are
 * scraped.
 */
class Series<Labels extends readonly string[], Value> {
  readonly #labels: Labels
  readonly #createValue: () => Value
  /** Nested maps, one level per label: building a joined key for each request would cost several times as much. */
  readonly #levels: Level<Value> = new Map()
  readonly #entries: { labels: Record<string, string>; value: Value }[] = []

  constructor(labels: Labels, createValue: () => Value) {
    this.#labels = labels
    this.#createValue = createValue
  }

  /** Returns the counter for these label values. Creates it at its first use. */
  valueFor(values: Values<Labels>): Value {
    const last = values.length - 1
    let level = this.#levels
    for (let at = 0; at < last; at++) level = level.getOrInsertComputed(values[at]!, newLevel<Value>) as Level<Value>
    return level.getOrInsertComputed(values[last] ?? '', () => this.#add(values)) as Value
  }

  #add(values: Values<Labels>): Value {
    const labels = Object.fromEntries(this.#labels.map((label, at) => [label, values[at]!]))
    const value = this.#createValue()
    this.#entries.push({ labels, value })
    return value
  }

  samples(write: (value: Value, labels: Record<string, string>) => Sample[]): Sample[] {
    return this.#entries.flatMap(({ value, labels }) => write(value, labels))
  }
}

/** A counter: each call of `add` adds 1. Labels must have few values. */
export function createCounter<const Labels extends readonly string[]>({ name, help, labels }: Description<Labels>) {
  const series = new Series(labels, () => ({ value: 0 }))
  const metric: Metric = {
    name,
    get: async () => ({
      name,
      help,
      type: 'counter',
      aggregator: 'sum',
      values: series.samples(({ value }, labels) => [{ labels, value }]),
    }),
  }
  return {
    ...metric,
    add: (...values: Values<Labels>) => void series.valueFor(values).value++,
    /** Reports the counter as 0 from now on: Prometheus does not see the increase of a counter that appears with 1. */
    start: (...values: Values<Labels>) => void series.valueFor(values),
  }
}

/** @param buckets the upper bounds in ascending order. Larger values are counted under `+Inf`. */
export function createHistogram<const Labels extends readonly string[]>({
  name,
  help,
  labels,
  buckets,
}: Description<Labels> & { buckets: readonly number[] }) {
  const series = new Series(labels, () => ({ sum: 0, counts: new Float64Array(buckets.length + 1) }))
  const metric: Metric = {
    name,
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: series.samples(histogramSamples(name, buckets)),
    }),
  }
  return {
    ...metric,
    /** Reports the histogram with 0 observations from now on. */
    start: (...values: Values<Labels>) => void series.valueFor(values),
    observe(value: number, ...values: Values<Labels>): void {
      const histogram = series.valueFor(values)
      let at = 0
      while (at < buckets.length && value > buckets[at]!) at++
      histogram.counts[at]!++
      histogram.sum += value
    },
  }
}

const histogramSamples =
  (name: string, buckets: readonly number[]) =>
  ({ sum, counts }: { sum: number; counts: Float64Array }, labels: Record<string, string>): Sample[] => {
    let cumulativeCount = 0
    const lines: Sample[] = []
    for (const [at, count] of counts.entries()) {
      cumulativeCount += count
      const le = at < buckets.length ? String(buckets[at]) : '+Inf'
      lines.push({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: cumulativeCount })
    }
    lines.push(
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: cumulativeCount },
    )
    return lines
  }

/** @param read returns the current values by label value. */
export function createGauge(
  { name, help, label, aggregator = 'sum' }: { name: string; help: string; label: string; aggregator?: Aggregator },
  read: () => Record<string, number>,
): Metric {
  const lines = () => Object.entries(read()).map(([labelValue, value]) => ({ labels: { [label]: labelValue }, value }))
  return { name, get: async () => ({ name, help, type: 'gauge', aggregator, values: lines() }) }
}

/** A gauge with one value and constant labels. */
export function createPlainGauge(
  {
    name,
    help,
    labels = {},
    aggregator = 'sum',
  }: { name: string; help: string; labels?: Record<string, string>; aggregator?: Aggregator },
  read: () => number,
): Metric {
  return { name, get: async () => ({ name, help, type: 'gauge', aggregator, values: [{ labels, value: read() }] }) }
}

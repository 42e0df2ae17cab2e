/** One line of a metric as Prometheus reads it. */
type Line = { metricName?: string; labels: Record<string, string>; value: number }

/** A metric as `prom-client` writes it out, once somebody asks. */
export type Metric = {
  name: string
  get: () => Promise<MetricValues>
}

/**
 * The way in which values of several processes become one: the sum, unless all report the same value or the worst value
 * counts.
 */
export type Aggregator = 'sum' | 'first' | 'min' | 'max' | 'average' | 'omit'

/** A metric as it stands, in the form of `prom-client`. */
export type MetricValues = { name: string; help: string; type: string; aggregator: Aggregator; values: Line[] }

type Description<Labels extends readonly string[]> = { name: string; help: string; labels: Labels }
type Values<Labels extends readonly string[]> = { [At in keyof Labels]: string }

type Level<One> = Map<string, Level<One> | One>

const newLevel = <One>(): Level<One> => new Map()

/**
 * Metrics that are counted on the way of every request: they only add to numbers, and what they add up to is put into
 * words when it is asked for.
 */
class Series<Labels extends readonly string[], One> {
  readonly #labels: Labels
  readonly #fresh: () => One
  /** Found value by value: words of their own for each request, put together and looked up, cost several times that. */
  readonly #found: Level<One> = new Map()
  readonly #all: { labels: Record<string, string>; one: One }[] = []

  constructor(labels: Labels, fresh: () => One) {
    this.#labels = labels
    this.#fresh = fresh
  }

  of(values: Values<Labels>): One {
    const last = values.length - 1
    let level = this.#found
    for (let at = 0; at < last; at++) level = level.getOrInsertComputed(values[at]!, newLevel<One>) as Level<One>
    return level.getOrInsertComputed(values[last] ?? '', () => this.#add(values)) as One
  }

  #add(values: Values<Labels>): One {
    const labels = Object.fromEntries(this.#labels.map((label, at) => [label, values[at]!]))
    const one = this.#fresh()
    this.#all.push({ labels, one })
    return one
  }

  lines(write: (one: One, labels: Record<string, string>) => Line[]): Line[] {
    return this.#all.flatMap(({ one, labels }) => write(one, labels))
  }
}

/** Calls of `add` count; labels are few, each with few values. */
export function createCounter<const Labels extends readonly string[]>({ name, help, labels }: Description<Labels>) {
  const series = new Series(labels, () => ({ value: 0 }))
  const metric: Metric = {
    name,
    get: async () => ({
      name,
      help,
      type: 'counter',
      aggregator: 'sum',
      values: series.lines(({ value }, labels) => [{ labels, value }]),
    }),
  }
  return {
    ...metric,
    add: (...values: Values<Labels>) => void series.of(values).value++,
    /** Shows it from now on, though it is 0: what appears as 1 has risen from nothing that anybody could compare. */
    start: (...values: Values<Labels>) => void series.of(values),
  }
}

/** @param buckets the upper bounds, rising; what is above all of them is counted too. */
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
      values: series.lines(histogramLines(name, buckets)),
    }),
  }
  return {
    ...metric,
    /** Shows it from now on, though it is 0. */
    start: (...values: Values<Labels>) => void series.of(values),
    observe(value: number, ...values: Values<Labels>): void {
      const one = series.of(values)
      let at = 0
      while (at < buckets.length && value > buckets[at]!) at++
      one.counts[at]!++
      one.sum += value
    },
  }
}

const histogramLines =
  (name: string, buckets: readonly number[]) =>
  ({ sum, counts }: { sum: number; counts: Float64Array }, labels: Record<string, string>): Line[] => {
    let below = 0
    const lines: Line[] = []
    for (const [at, count] of counts.entries()) {
      below += count
      const le = at < buckets.length ? String(buckets[at]) : '+Inf'
      lines.push({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: below })
    }
    lines.push({ metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: below })
    return lines
  }

/** @param read what it stands at now, by the values of the label. */
export function createGauge(
  { name, help, label, aggregator = 'sum' }: { name: string; help: string; label: string; aggregator?: Aggregator },
  read: () => Record<string, number>,
): Metric {
  const lines = () => Object.entries(read()).map(([of, value]) => ({ labels: { [label]: of }, value }))
  return { name, get: async () => ({ name, help, type: 'gauge', aggregator, values: lines() }) }
}

/** One value, with labels that never change. */
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

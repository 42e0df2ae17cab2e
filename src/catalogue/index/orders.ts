import { once } from '#platform/async/once.ts'
import type { Figures } from '../measurements/figures.ts'
import type { Model } from './model.ts'
import { cheapestEndpoint } from './prices/cheapest.ts'
import { compareExact } from './prices/exact-decimal.ts'

export const sorts = [
  'most-popular',
  'newest',
  'top-weekly',
  'pricing-low-to-high',
  'pricing-high-to-low',
  'context-high-to-low',
  'throughput-high-to-low',
  'latency-low-to-high',
  'intelligence-high-to-low',
  'coding-high-to-low',
  'agentic-high-to-low',
  'design-arena-elo-high-to-low',
] as const
export type Sort = (typeof sorts)[number]

/** The order of all models by each sort, built at the first call. The snapshot is in the default order, `newest`. */
type Orders = { readonly [Name in Exclude<Sort, 'newest'>]: () => Uint32Array }
type MeasuredSort = 'throughput-high-to-low' | 'latency-low-to-high' | 'most-popular' | 'top-weekly'
/** Orders that depend only on the catalogue. */
export type FixedOrders = Omit<Orders, MeasuredSort>
/** Orders that depend on measurements. */
export type MeasuredOrders = Pick<Orders, MeasuredSort>

export function createFixedOrders(models: readonly Model[]): FixedOrders {
  const ranks = once(() => rankPrices(models))
  const highToLow = (valueIn: (model: Model) => number | undefined) => once(() => descendingOrder(models.map(valueIn)))
  return {
    'pricing-low-to-high': once(() => descendingOrder([...ranks()].map((rank) => -rank))),
    'pricing-high-to-low': once(() => descendingOrder([...ranks()])),
    'context-high-to-low': highToLow((model) => model.contextLength),
    'intelligence-high-to-low': highToLow((model) => model.benchmarks.intelligence),
    'coding-high-to-low': highToLow((model) => model.benchmarks.coding),
    'agentic-high-to-low': highToLow((model) => model.benchmarks.agentic),
    'design-arena-elo-high-to-low': highToLow((model) => model.benchmarks.designArenaElo),
  }
}

/** The rank of each model by its price. Equal prices have equal ranks. */
function rankPrices(models: readonly Model[]): Float64Array {
  const prices = models.map((model) => cheapestEndpoint(model).price)
  const ascending = models.map((_, at) => at).sort((a, b) => compareExact(prices[a]!, prices[b]!))
  const ranks = new Float64Array(models.length)
  ascending.forEach((at, position) => {
    const previous = ascending[position - 1]
    const isSame = previous !== undefined && compareExact(prices[previous]!, prices[at]!) === 0
    ranks[at] = isSame ? ranks[previous]! : position
  })
  return ranks
}

/** Creates the orders by measurements. The speed of a model is that of its fastest endpoint. */
export function createMeasuredOrders(models: readonly Model[], figures: Figures): MeasuredOrders {
  const byEndpoints = (valueIn: (id: string) => number | undefined) =>
    once(() => descendingOrder(models.map(({ endpoints }) => maxDefined(endpoints.map(({ id }) => valueIn(id))))))
  const popularity = once(() => descendingOrder(models.map(({ id }) => figures.model(id).tokens7d)))
  return {
    'throughput-high-to-low': byEndpoints((id) => figures.endpoint(id).throughput?.p50),
    'latency-low-to-high': byEndpoints((id) => negate(figures.endpoint(id).latencyMs?.p50)),
    // `most-popular` and `top-weekly` sort by the tokens of a week, the only period for which tokens are counted.
    'most-popular': popularity,
    'top-weekly': popularity,
  }
}

/** Returns the indices of the values in descending order, stable; missing values are last. */
function descendingOrder(values: (number | undefined)[]): Uint32Array {
  const keys = Float64Array.from(values, (value) => value ?? Number.NEGATIVE_INFINITY)
  return Uint32Array.from(keys.keys()).sort((a, b) => compareNumbers(keys[b]!, keys[a]!) || a - b)
}

/** Compares without subtraction, because infinity minus infinity is NaN. */
const compareNumbers = (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0)

const negate = (value: number | undefined) => (value === undefined ? undefined : -value)

function maxDefined(values: (number | undefined)[]): number | undefined {
  const defined = values.filter((value) => value !== undefined)
  return defined.length > 0 ? Math.max(...defined) : undefined
}

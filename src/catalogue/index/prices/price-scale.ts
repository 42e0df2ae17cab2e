import type { Usd } from '../model.ts'
import { compareExact, type ExactDecimal, parseExact } from './exact-decimal.ts'

/** All prices of a catalogue in ascending order. Prices are compared exactly by their ranks, which are small integers. */
export type PriceScale = {
  rankOf: (price: Usd) => number
  /** The lowest rank of a price at or above the bound. */
  lowestRankFrom: (bound: ExactDecimal) => number
  /** One more than the highest rank of a price at or below the bound. */
  endRankAt: (bound: ExactDecimal) => number
}

export function createPriceScale(prices: Iterable<Usd>): PriceScale {
  const steps: { exact: ExactDecimal; texts: Usd[] }[] = []
  const parsed = [...new Set(prices)].map((text) => ({ text, exact: parsePrice(text) }))
  for (const { text, exact } of parsed.sort((a, b) => compareExact(a.exact, b.exact))) {
    const last = steps.at(-1)
    if (last && compareExact(last.exact, exact) === 0) last.texts.push(text)
    else steps.push({ exact, texts: [text] })
  }
  const ranks = new Map(steps.flatMap(({ texts }, rank) => texts.map((text) => [text, rank] as const)))
  return {
    rankOf: (price) => ranks.get(price)!,
    lowestRankFrom: (bound) => countWhile(steps, ({ exact }) => compareExact(exact, bound) < 0),
    endRankAt: (bound) => countWhile(steps, ({ exact }) => compareExact(exact, bound) <= 0),
  }
}

export function parsePrice(price: Usd): ExactDecimal {
  const exact = parseExact(price)
  if (!exact) throw new Error(`not a price: ${JSON.stringify(price)}`)
  return exact
}

/**
 * Returns the number of items at the start that fulfil the condition, by binary search. All items that fulfil it must
 * come first.
 */
function countWhile<T>(items: T[], holds: (item: T) => boolean): number {
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (holds(items[middle]!)) from = middle + 1
    else to = middle
  }
  return from
}

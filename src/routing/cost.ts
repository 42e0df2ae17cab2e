import type { Prices } from '#catalogue/model.ts'
import type { TokenCounts } from '#chat/events.ts'
import { type PicoUsd, picoUsd } from '#lib/pico-usd.ts'

type Rates = Record<'prompt' | 'completion' | 'cacheRead' | 'cacheWrite' | 'reasoning' | 'request', PicoUsd>

/** What an answer cost by its endpoint's prices, exactly. */
export function costOf(prices: Prices, tokens: TokenCounts): PicoUsd {
  const rates = ratesFor(prices, tokens.prompt)
  const plainPrompt = Math.max(0, tokens.prompt - tokens.cached - tokens.cacheWritten)
  const plainCompletion = Math.max(0, tokens.completion - tokens.reasoning)
  return (
    rates.request +
    BigInt(plainPrompt) * rates.prompt +
    BigInt(tokens.cached) * rates.cacheRead +
    BigInt(tokens.cacheWritten) * rates.cacheWrite +
    BigInt(plainCompletion) * rates.completion +
    BigInt(tokens.completion - plainCompletion) * rates.reasoning
  )
}

/** Prices belong to an immutable snapshot, so what was once parsed stays right. */
const parsed = new WeakMap<Prices, { from: number; rates: Rates }[]>()

function ratesFor(prices: Prices, promptTokens: number): Rates {
  const steps = parsed.get(prices) ?? parseSteps(prices)
  return (steps.findLast(({ from }) => promptTokens >= from) ?? steps[0])!.rates
}

function parseSteps(prices: Prices): { from: number; rates: Rates }[] {
  const steps = [{ from: 0, rates: toRates(prices) }]
  for (const { fromPromptTokens, ...changed } of prices.tiers ?? []) {
    steps.push({ from: fromPromptTokens, rates: toRates({ ...prices, ...changed }) })
  }
  parsed.set(prices, steps)
  return steps
}

/** A price that is not told is the one it is a special case of. */
function toRates(prices: Prices): Rates {
  const prompt = picoUsd(prices.prompt)
  const completion = picoUsd(prices.completion)
  const or = (price: string | undefined, otherwise: PicoUsd) => (price === undefined ? otherwise : picoUsd(price))
  return {
    prompt,
    completion,
    cacheRead: or(prices.cacheRead, prompt),
    cacheWrite: or(prices.cacheWrite, prompt),
    reasoning: or(prices.reasoning, completion),
    request: or(prices.request, 0n),
  }
}

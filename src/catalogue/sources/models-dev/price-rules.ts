import type { SourceCost, SourceModel } from './source.ts'

/** Prices per million tokens that models.dev does not list. */
export type AdditionalCosts = { cacheWrite1h?: number; imageCompletion?: number }

/** Derives additional prices from the costs of an entry. */
type PriceRule = (model: SourceModel, cost: Partial<SourceCost>) => AdditionalCosts

const noRule: PriceRule = () => ({})

/** For image models of the author's own API, models.dev has the price of image tokens; for gateways that of text tokens. */
const imageTokenPrice: PriceRule = ({ modalities }, { output }) =>
  modalities.output.includes('image') && output !== undefined ? { imageCompletion: output } : {}

const ruleByProvider: Record<string, PriceRule> = {
  // Anthropic's page on prompt caching: "1-hour cache write tokens are 2 times the base input tokens price", for all models.
  anthropic: (_model, { input }) => (input === undefined ? {} : { cacheWrite1h: 2 * input }),
  google: imageTokenPrice,
  openai: imageTokenPrice,
}

export const findPriceRule = (provider: string): PriceRule => ruleByProvider[provider] ?? noRule

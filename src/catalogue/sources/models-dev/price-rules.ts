import type { SourceCost, SourceModel } from './source.ts'

/** Prices per million tokens for which models.dev has no member. */
export type MoreCosts = { cacheWrite1h?: number; imageCompletion?: number }

/** Derives such prices from the price list of a provider. */
type Rules = (model: SourceModel, cost: Partial<SourceCost>) => MoreCosts

const none: Rules = () => ({})

/** For image models of the author's own API, models.dev has the price of image tokens; for gateways that of text tokens. */
const statesImages: Rules = ({ modalities }, { output }) =>
  modalities.output.includes('image') && output !== undefined ? { imageCompletion: output } : {}

const byProvider: Record<string, Rules> = {
  // "1-hour cache write tokens are 2 times the base input tokens price", for all models.
  anthropic: (_model, { input }) => (input === undefined ? {} : { cacheWrite1h: 2 * input }),
  google: statesImages,
  openai: statesImages,
}

export const rulesOf = (provider: string): Rules => byProvider[provider] ?? none

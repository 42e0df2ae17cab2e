import type { SourceCost, SourceModel } from './source.ts'

/** Figures of a price list, per million tokens, that models.dev has no member for. */
export type MoreCosts = { cacheWrite1h?: number; imageCompletion?: number }

/** Prices that follow from a provider's price list, though models.dev has no member for them. */
type Rules = (model: SourceModel, cost: Partial<SourceCost>) => MoreCosts

const none: Rules = () => ({})

/** Of a maker's own image models models.dev states the price of the image tokens; gateways state that of the text. */
const statesImages: Rules = ({ modalities }, { output }) =>
  modalities.output.includes('image') && output !== undefined ? { imageCompletion: output } : {}

const byProvider: Record<string, Rules> = {
  // "1-hour cache write tokens are 2 times the base input tokens price", for all models.
  anthropic: (_model, { input }) => (input === undefined ? {} : { cacheWrite1h: 2 * input }),
  google: statesImages,
  openai: statesImages,
}

export const rulesOf = (provider: string): Rules => byProvider[provider] ?? none

import { perMillion, toDecimal } from '#lib/money.ts'
import type { EndpointPatch, ModelPatch } from '../layer.ts'
import type { Prices } from '../model.ts'
import type { SourceCost, SourceModel } from './source.ts'

/** What an entry tells of the model itself. */
export function modelFacts(model: SourceModel): Omit<ModelPatch, 'endpoints' | 'created'> {
  return {
    name: model.name,
    contextLength: model.limit.context || undefined,
    inputModalities: inputs(model),
    outputModalities: outputs(model),
    family: model.family ?? null,
    knowledgeCutoff: model.knowledge ? wholeDay(model.knowledge) : null,
  }
}

/** What an entry tells of the provider's offer. */
export function endpointFacts(model: SourceModel, prices: Prices): EndpointPatch {
  return {
    upstreamModel: model.id,
    contextLength: model.limit.context || undefined,
    maxCompletionTokens: model.limit.output || null,
    maxPromptTokens: model.limit.input || null,
    prices,
    supportedParameters: parametersOf(model),
  }
}

function inputs({ modalities }: SourceModel): string[] {
  return modalities.input.map((kind) => (kind === 'pdf' ? 'file' : kind))
}

/** models.dev knows no embeddings, and lists models that make them as writing text. */
function outputs({ id, modalities }: SourceModel): string[] {
  if (/embed/i.test(id)) return ['embeddings']
  const kinds = modalities.output.filter((kind) => kind !== 'pdf')
  return kinds.length > 0 ? kinds : ['text']
}

/** A month alone is taken to its end. */
function wholeDay(text: string): string | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(text) ?? []
  if (!year || !month) return null
  if (day) return text
  return new Date(Date.UTC(Number(year), Number(month), 0)).toISOString().slice(0, 10)
}

function parametersOf(model: SourceModel): string[] {
  return [
    'max_tokens',
    ...(model.temperature ? ['temperature'] : []),
    ...(model.tool_call ? ['tools', 'tool_choice'] : []),
    ...(model.structured_output ? ['structured_outputs', 'response_format'] : []),
    ...(model.reasoning ? ['reasoning', 'include_reasoning'] : []),
  ]
}

/** models.dev's USD per million tokens as ours per token; undefined without a price. */
export function pricesOf({ cost }: SourceModel): Prices | undefined {
  if (!cost) return undefined
  const prices: Prices = {
    prompt: perToken(cost.input),
    completion: perToken(cost.output),
    ...cachePrices(cost, cost.input),
  }
  if (cost.reasoning) prices.reasoning = perToken(cost.reasoning)
  const tiers = (cost.tiers ?? [])
    .filter(({ tier }) => tier.type === undefined || tier.type === 'context')
    .map(({ tier, ...tierCost }) => ({
      fromPromptTokens: tier.size,
      ...(tierCost.input !== undefined && { prompt: perToken(tierCost.input) }),
      ...(tierCost.output !== undefined && { completion: perToken(tierCost.output) }),
      ...cachePrices(tierCost, tierCost.input ?? cost.input),
    }))
    .sort((a, b) => a.fromPromptTokens - b.fromPromptTokens)
  if (tiers.length > 0) prices.tiers = tiers
  return prices
}

/** Zero for cached tokens where others cost something is how "not stated" is written: then they cost what others do. */
function cachePrices(cost: Partial<SourceCost>, prompt: number): Pick<Prices, 'cacheRead' | 'cacheWrite'> {
  const read = cost.cache_read ?? cost.cached_input ?? cost.cache_input
  const write = cost.cache_write ?? cost.cached_write
  const stated = (price: number | undefined) => price !== undefined && (price > 0 || prompt === 0)
  return {
    ...(stated(read) && { cacheRead: perToken(read!) }),
    ...(stated(write) && { cacheWrite: perToken(write!) }),
  }
}

/** Thousands of entries share a few hundred prices. */
const known = new Map<number, string>()

function perToken(usdPerMillion: number): string {
  const price = known.get(usdPerMillion) ?? perMillion(toDecimal(usdPerMillion)!)
  known.set(usdPerMillion, price)
  return price
}

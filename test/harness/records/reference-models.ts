import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { Figures } from '#catalogue/measurements/figures.ts'

/**
 * The reference implementation of model lists, one condition after the other without optimisation. The index must agree
 * with it. It does not use the index, and reads the parameters as a client writes them.
 */
export function referenceList(models: Model[], figures: Figures, parameters: Record<string, string>, nowMs: number) {
  const found = models
    .filter((model) => model.endpoints.length > 0)
    .filter((model) => passes(model, figures, parameters, nowMs))
    .sort(compareByDefault)
  const sorted = sortBy(found, figures, parameters.sort)
  const offset = Number(parameters.offset ?? 0)
  const isPaged = parameters.offset !== undefined || parameters.limit !== undefined
  const end = isPaged ? offset + Number(parameters.limit ?? 500) : sorted.length
  return {
    ids: sorted.slice(offset, end).map((model) => model.id),
    total_count: sorted.length,
    hasNext: end < sorted.length,
  }
}

function passes(model: Model, figures: Figures, query: Record<string, string>, nowMs: number): boolean {
  const list = (name: string) => query[name]?.split(',').map((item) => item.trim())
  const outputs = list('output_modalities') ?? ['text']
  const parameters = model.endpoints.flatMap((endpoint) => endpoint.supportedParameters)
  const words = (query.q ?? '').toLowerCase().split(/\s|,/)
  const text = [model.name.toLowerCase(), model.id.toLowerCase()]
  const age = Math.floor((Math.floor(nowMs / 1000) - model.created) / 86400)
  const within = (value: number | null | undefined, name: string) => {
    const [min, max] = [query[`min_${name}`], query[`max_${name}`]]
    if (min === undefined && max === undefined) return true
    if (value === null || value === undefined) return false
    return (min === undefined || value >= Number(min)) && (max === undefined || value <= Number(max))
  }
  return (
    (query.category === undefined || model.categories.includes(query.category)) &&
    (list('supported_parameters') ?? []).every((name) => parameters.includes(name)) &&
    (outputs.includes('all') || outputs.some((output) => model.outputModalities.includes(output))) &&
    (list('input_modalities') ?? []).every((input) => model.inputModalities.includes(input)) &&
    words.every((word) => text.some((line) => line.includes(word))) &&
    (query.context === undefined || model.contextLength >= Number(query.context)) &&
    (query.arch === undefined ||
      [model.family, model.tokenizer].some((name) => name?.toLowerCase() === query.arch!.toLowerCase())) &&
    (list('model_authors')?.includes(model.author) ?? true) &&
    (query.distillable !== 'true' || model.distillable === true) &&
    (query.distillable !== 'false' || model.distillable !== true) &&
    within(age, 'age_days') &&
    within(model.benchmarks.intelligence, 'intelligence_index') &&
    within(model.benchmarks.coding, 'coding_index') &&
    within(model.benchmarks.agentic, 'agentic_index') &&
    within(figures.model(model.id).toolSuccess, 'tool_success_rate') &&
    model.endpoints.some((endpoint) => endpointPasses(endpoint, query))
  )
}

function endpointPasses({ prices, provider, zeroDataRetention, regions }: Endpoint, query: Record<string, string>) {
  const prompt = million(units(prices.prompt))
  const completion = million(units(prices.completion))
  return (
    (query.min_price === undefined || prompt >= units(query.min_price)) &&
    (query.max_price === undefined || prompt <= units(query.max_price)) &&
    (query.min_output_price === undefined || completion >= units(query.min_output_price)) &&
    (query.max_output_price === undefined || completion <= units(query.max_output_price)) &&
    (query.providers === undefined || query.providers.split(',').some((name) => isProvider(provider, name))) &&
    (query.zdr === undefined || zeroDataRetention) &&
    (query.region === undefined || regions.includes('europe'))
  )
}

/** The names of providers in random catalogues are their slugs in capitals. */
const isProvider = (slug: string, name: string) => slug === name || slug.toUpperCase() === name.toUpperCase()

/** A plain decimal number in units of 10^-40: more places than any number in these tests has. */
function units(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(40, '0'))
}

const million = (price: bigint) => price * 1_000_000n

function sortBy(models: Model[], figures: Figures, sort: string | undefined): Model[] {
  const pickPresent = (values: (number | undefined)[], pick: (...values: number[]) => number) => {
    const present = values.filter((value) => value !== undefined)
    return present.length ? pick(...present) : undefined
  }
  const speed = (model: Model) =>
    pickPresent(
      model.endpoints.map(({ id }) => figures.endpoint(id).throughput?.p50),
      Math.max,
    )
  const latency = (model: Model) =>
    pickPresent(
      model.endpoints.map(({ id }) => figures.endpoint(id).latencyMs?.p50),
      Math.min,
    )
  const tokens = (model: Model) => figures.model(model.id).tokens7d || undefined
  switch (sort) {
    case 'most-popular':
    case 'top-weekly':
      return highToLow(models, tokens)
    case 'pricing-low-to-high':
      return lowToHigh(models, cheapest)
    case 'pricing-high-to-low':
      return highToLow(models, cheapest)
    case 'context-high-to-low':
      return highToLow(models, (model) => model.contextLength)
    case 'throughput-high-to-low':
      return highToLow(models, speed)
    case 'latency-low-to-high':
      return lowToHigh(models, latency)
    case 'intelligence-high-to-low':
      return highToLow(models, (model) => model.benchmarks.intelligence)
    case 'coding-high-to-low':
      return highToLow(models, (model) => model.benchmarks.coding)
    case 'agentic-high-to-low':
      return highToLow(models, (model) => model.benchmarks.agentic)
    case 'design-arena-elo-high-to-low':
      return highToLow(models, (model) => model.benchmarks.designArenaElo)
    default:
      return models
  }
}

/** The lowest weighted mean of an endpoint, three to one; times four, to stay whole. */
function cheapest(model: Model): bigint {
  const means = model.endpoints.map(({ prices }) => 3n * units(prices.prompt) + units(prices.completion))
  return means.sort((a, b) => Number(a - b))[0]!
}

type Value = number | bigint | undefined

function lowToHigh(models: Model[], readValue: (model: Model) => Value): Model[] {
  return models.toSorted((a, b) => {
    const [valueA, valueB] = [readValue(a), readValue(b)]
    if (valueA === undefined || valueB === undefined) return Number(valueA === undefined) - Number(valueB === undefined)
    return valueA < valueB ? -1 : valueA > valueB ? 1 : 0
  })
}

function highToLow(models: Model[], readValue: (model: Model) => Value): Model[] {
  return lowToHigh(models, (model) => {
    const value = readValue(model)
    return value === undefined ? undefined : -value
  })
}

function compareByDefault(a: Model, b: Model): number {
  if (a.created !== b.created) return b.created - a.created
  return a.id < b.id ? -1 : 1
}

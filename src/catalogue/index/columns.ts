import { once } from '#platform/async/once.ts'
import { addBit, type Bits, emptyBits } from './bits.ts'
import type { Model } from './model.ts'
import { listSupportedParameters } from './model-item.ts'
import { createPriceScale, type PriceScale } from './prices/price-scale.ts'

/** The set of models that have a value, by this value. */
export type ValueIndex = ReadonlyMap<string, Bits>

/**
 * The values that filters test, as one array per property. A missing number is NaN. Each column is built at its first call.
 */
export type Columns = ReturnType<typeof buildColumns>

type EndpointColumns = {
  /** The endpoints of model `i` are those from `starts[i]` up to `starts[i + 1]`. */
  starts: Uint32Array
  /** Ranks on `scale`. */
  prompt: Uint32Array
  completion: Uint32Array
  scale: PriceScale
  /** Indices in `providerSlugs`. */
  provider: Uint32Array
  providerSlugs: string[]
  zeroDataRetention: Uint8Array
  europe: Uint8Array
}

export function buildColumns(models: readonly Model[]) {
  const numberColumn = (readValue: (model: Model) => number | undefined) =>
    once(() => Float64Array.from(models, (model) => readValue(model) ?? Number.NaN))
  const valueIndex = (valuesOf: (model: Model) => string[]) => once(() => buildIndex(models, valuesOf))
  const distillable = valueIndex((model) => [String(model.distillable)])
  return {
    size: models.length,
    category: valueIndex((model) => model.categories),
    parameter: valueIndex(listSupportedParameters),
    input: valueIndex((model) => model.inputModalities),
    output: valueIndex((model) => model.outputModalities),
    author: valueIndex((model) => [model.author.toLowerCase()]),
    /** Family and tokenizer, in lower case. */
    architecture: valueIndex(({ family, tokenizer }) =>
      [family, tokenizer].flatMap((name) => name?.toLowerCase() ?? []),
    ),
    distillable: () => distillable().get('true') ?? emptyBits(models.length),
    /** Name and id in lower case, on separate lines. */
    searchTexts: once(() => models.map((model) => `${model.name}\n${model.id}`.toLowerCase())),
    created: numberColumn((model) => model.created),
    context: numberColumn((model) => model.contextLength),
    intelligence: numberColumn((model) => model.benchmarks.intelligence),
    coding: numberColumn((model) => model.benchmarks.coding),
    agentic: numberColumn((model) => model.benchmarks.agentic),
    endpoints: once(() => buildEndpointColumns(models)),
  }
}

function buildIndex(models: readonly Model[], valuesOf: (model: Model) => string[]): ValueIndex {
  const index = new Map<string, Bits>()
  models.forEach((model, at) => {
    for (const value of valuesOf(model)) {
      const bits = index.get(value) ?? emptyBits(models.length)
      addBit(bits, at)
      index.set(value, bits)
    }
  })
  return index
}

function buildEndpointColumns(models: readonly Model[]): EndpointColumns {
  const endpoints = models.flatMap((model) => model.endpoints)
  const starts = new Uint32Array(models.length + 1)
  models.forEach((model, at) => {
    starts[at + 1] = starts[at]! + model.endpoints.length
  })
  const scale = createPriceScale(endpoints.flatMap(({ prices }) => [prices.prompt, prices.completion]))
  const providerSlugs = [...new Set(endpoints.map((endpoint) => endpoint.provider))]
  const providerNumber = new Map(providerSlugs.map((slug, number) => [slug, number]))
  return {
    starts,
    scale,
    prompt: Uint32Array.from(endpoints, ({ prices }) => scale.rankOf(prices.prompt)),
    completion: Uint32Array.from(endpoints, ({ prices }) => scale.rankOf(prices.completion)),
    provider: Uint32Array.from(endpoints, ({ provider }) => providerNumber.get(provider)!),
    providerSlugs,
    zeroDataRetention: Uint8Array.from(endpoints, (endpoint) => Number(endpoint.zeroDataRetention)),
    europe: Uint8Array.from(endpoints, (endpoint) => Number(endpoint.regions.includes('europe'))),
  }
}

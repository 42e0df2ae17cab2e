import fc from 'fast-check'
import type { CatalogueData, Endpoint, Model } from '#catalogue/index/model.ts'
import { sorts } from '#catalogue/index/orders.ts'
import { inputModalities, type ModelQuery, outputModalities } from '#catalogue/list/model-query.ts'
import type { EndpointFigures, Figures } from '#catalogue/measurements/figures.ts'
import { categories, regions } from '#platform/core/vocabulary.ts'

/**
 * Random catalogues, measurements and queries from small sets of values, so that many values are equal and bounds are
 * reached.
 */

export const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0, 500)

const day = 86_400
const authors = ['ada', 'bell', 'curie']
const slugs = ['red', 'green', 'blue']
const parameters = ['tools', 'temperature', 'top_p']
const families = ['gpt', 'Claude', 'Llama']
const prices = ['0', '0.000003', '0.0000030', '0.00000300000000000000001', '0.00000299', '0.0000025', '0.00001', '0.25']
const scores = [0, 12.5, 57.3, 57.4, 100]
const ages = [-day, 0, 1, day - 1, day, day + 1, 30 * day - 1, 30 * day, 31 * day - 1, 31 * day, 400 * day]

const someOf = <T>(values: readonly T[]) => fc.subarray([...values])
const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const endpoint = fc.record({
  provider: oneOf(slugs),
  prompt: oneOf(prices),
  completion: oneOf(prices),
  supportedParameters: someOf(parameters),
  zeroDataRetention: fc.boolean(),
  regions: someOf(regions),
})

const model = fc.record({
  author: oneOf(authors),
  name: fc.array(oneOf(['Ada', 'Größe', 'mini', 'MAX', '4o']), { maxLength: 3 }).map((words) => words.join(' ')),
  created: oneOf(ages).map((age) => Math.floor(nowMs / 1000) - age),
  contextLength: oneOf([1, 4096, 128_000, 1_000_000]),
  inputModalities: someOf(inputModalities),
  outputModalities: someOf(outputModalities.filter((modality) => modality !== 'all')),
  family: fc.option(oneOf(families)),
  tokenizer: fc.option(oneOf(families)),
  categories: someOf(categories),
  distillable: fc.option(fc.boolean()),
  benchmarks: fc.record(
    {
      intelligence: oneOf(scores),
      coding: oneOf(scores),
      agentic: oneOf(scores),
      designArenaElo: oneOf([1000, 1200, 1201]),
    },
    { requiredKeys: [] },
  ),
  endpoints: fc.array(endpoint, { maxLength: 3 }),
})

export const catalogue: fc.Arbitrary<CatalogueData> = fc
  .array(model, { maxLength: 300, size: 'max' })
  .map((models) => ({ models: models.map(asModel), providers: slugs.map(asProvider) }))

const percentiles = fc.option(
  oneOf([1, 20, 20.5, 300]).map((p50) => ({ p50, p75: p50, p90: p50, p99: p50 })),
  { freq: 2 },
)

/** Measurements of all models, derived from a seed, so that they exist for any name. */
export const figures: fc.Arbitrary<Figures> = fc
  .record({
    endpoints: fc.array(fc.record({ latencyMs: percentiles, throughput: percentiles, fastest: fc.constant(null) }), {
      minLength: 1,
      maxLength: 40,
    }),
    models: fc.array(fc.record({ tokens7d: oneOf([0, 5, 5, 70]), toolSuccess: fc.option(oneOf([0, 0.5, 0.9, 1])) }), {
      minLength: 1,
      maxLength: 40,
    }),
  })
  .map(({ endpoints, models }) => ({
    endpoint: (id): EndpointFigures => ({ uptime5m: null, uptime30m: null, uptime1d: null, ...pick(endpoints, id) }),
    model: (id) => ({ requests7d: 0, ...pick(models, id) }),
  }))

const commaList = (values: readonly string[]) =>
  fc.subarray([...values], { minLength: 1 }).map((subset) => subset.join(','))
const perMillion = oneOf([
  '0',
  '2.5',
  '2.99',
  '3',
  '3.00',
  '3.00000000000000001',
  '3.0000000000000000001',
  '10',
  '1000',
])
const score = oneOf(['0', '12.5', '57.3', '57.35', '100'])
const rate = oneOf(['0', '0.5', '0.9', '1'])
const days = oneOf(['0', '1', '2', '30', '31'])

/** Every parameter except those of the answer's form. The type names one that is not tested. */
type TestedParameters = Record<
  Exclude<keyof ModelQuery, 'use_rss' | 'use_rss_chat_links'>,
  fc.Arbitrary<string | undefined>
>

/** Any combination of parameters, as a client writes them. */
export const question: fc.Arbitrary<Record<string, string>> = fc
  .record({
    category: maybe(oneOf(categories)),
    supported_parameters: maybe(commaList([...parameters, 'unheard-of'])),
    output_modalities: maybe(commaList(outputModalities)),
    input_modalities: maybe(commaList(inputModalities)),
    sort: fc.option(oneOf(sorts), { nil: undefined, freq: 8 }),
    q: maybe(oneOf(['', 'ada', 'ADA mini', 'größe', '4', 'm1', 'bell/', ' max  '])),
    context: maybe(oneOf(['1', '4096', '4097', '2000000'])),
    min_price: maybe(perMillion),
    max_price: maybe(perMillion),
    min_output_price: maybe(perMillion),
    max_output_price: maybe(perMillion),
    arch: maybe(oneOf(['GPT', 'claude', 'unheard-of'])),
    model_authors: maybe(commaList([...authors, 'nobody'])),
    providers: maybe(commaList([...slugs, 'RED', 'nobody'])),
    distillable: maybe(oneOf(['true', 'false'])),
    zdr: maybe(fc.constant('true')),
    region: maybe(fc.constant('eu')),
    min_age_days: maybe(days),
    max_age_days: maybe(days),
    min_intelligence_index: maybe(score),
    max_intelligence_index: maybe(score),
    min_coding_index: maybe(score),
    max_coding_index: maybe(score),
    min_agentic_index: maybe(score),
    max_agentic_index: maybe(score),
    min_tool_success_rate: maybe(rate),
    max_tool_success_rate: maybe(rate),
    offset: maybe(oneOf(['0', '1', '7', '500'])),
    limit: maybe(oneOf(['1', '10', '1000'])),
  } satisfies TestedParameters)
  .chain((all) => {
    const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    // All conditions together match nothing; a few at a time show the effect of each.
    return fc.subarray(given, { maxLength: Math.min(6, given.length) }).map(Object.fromEntries)
  })

function asProvider(slug: string): CatalogueData['providers'][number] {
  const unknown = { privacyPolicyUrl: null, termsOfServiceUrl: null, statusPageUrl: null }
  return { slug, name: slug.toUpperCase(), protocol: 'demo', baseUrl: null, credentialVariables: [], ...unknown }
}

type RandomModel = typeof model extends fc.Arbitrary<infer T> ? T : never
type RandomEndpoint = RandomModel['endpoints'][number]

function asModel(random: RandomModel, number: number): Model {
  const id = `${random.author}/m${number}`
  return {
    ...random,
    id,
    canonicalSlug: `${id}-2026-01-01`,
    description: null,
    instructType: null,
    defaultParameters: null,
    perRequestLimits: null,
    expirationDate: null,
    knowledgeCutoff: null,
    supportedVoices: null,
    aliases: [],
    endpoints: random.endpoints.map((endpoint, i) => asEndpoint(endpoint, `${id}@${endpoint.provider}/${i}`)),
  }
}

function asEndpoint({ prompt, completion, ...random }: RandomEndpoint, id: string): Endpoint {
  return {
    ...random,
    id,
    tag: random.provider,
    name: id,
    upstreamModel: id,
    contextLength: 1000,
    maxCompletionTokens: null,
    maxPromptTokens: null,
    quantization: 'unknown',
    prices: { prompt, completion },
    supportsImplicitCaching: false,
    toolChoice: { auto: true, none: true, required: true, function: true },
    trainsOnData: false,
    publishesPrompts: false,
    moderated: false,
  }
}

function pick<T>(values: T[], id: string): T {
  let hash = 7
  for (const character of id) hash = (hash * 31 + character.charCodeAt(0)) >>> 0
  return values[hash % values.length]!
}

import { isObject } from '#platform/core/is-object.ts'

/** USD per million tokens. Entries use different names for the same price. */
export type SourceCost = {
  input: number
  output: number
  /** Input read from the cache: `cache_read`, `cached_input` or `cache_input`. */
  cache_read?: number
  cached_input?: number
  cache_input?: number
  /** Input written to the cache: `cache_write` or `cached_write`. */
  cache_write?: number
  cached_write?: number
  reasoning?: number
  input_audio?: number
  output_audio?: number
  /** The price of images in responses, per million tokens. */
  image?: number
}

/** The fields of a models.dev entry that are used. */
export type SourceModel = {
  id: string
  name: string
  family?: string
  release_date: string
  knowledge?: string
  base_model?: string
  tool_call?: boolean
  reasoning?: boolean
  temperature?: boolean
  structured_output?: boolean
  /** The field of a chat message in which the server expects the reasoning of earlier responses. */
  interleaved?: boolean | { field?: string }
  modalities: { input: string[]; output: string[] }
  limit: { context: number; output: number; input?: number }
  cost?: SourceCost & { tiers?: (Partial<SourceCost> & { tier: { type?: string; size: number } })[] }
  /** Other modes of serving, each with the request fields that select it. A boolean in some entries. */
  experimental?: { modes?: Record<string, SourceMode> } | boolean
  /** The API of this entry, if it differs from the provider's. */
  provider?: { npm?: string; api?: string; shape?: string }
}

type SourceMode = { cost?: Partial<SourceCost>; provider?: { body?: { service_tier?: string } } }

export type SourceProvider = {
  id: string
  name: string
  /** The client package of its protocol. */
  npm: string
  api?: string
  env: string[]
  models: Record<string, unknown>
}

/** A rule for a field. The first violated rule is reported, for example as `limit.context: expected a number, 0 or more`. */
type Rule<T> = readonly [field: string, check: (value: T) => boolean, expected: string]

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isNonNegativeNumber = (value: unknown) => typeof value === 'number' && value >= 0
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText)
const isAbsentOr = (value: unknown, check: (value: unknown) => boolean) => value === undefined || check(value)

const providerRules: readonly Rule<SourceProvider>[] = [
  ['id', ({ id }) => isText(id) && /^[a-z0-9][a-z0-9._-]*$/.test(id), 'a slug'],
  ['name', ({ name }) => isText(name), 'a text'],
  ['npm', ({ npm }) => isText(npm), 'the name of a package'],
  ['api', ({ api }) => isAbsentOr(api, isText), 'a text'],
  ['env', ({ env }) => isTextList(env), 'names of variables'],
  ['models', ({ models }) => isObject(models), 'an object'],
]

const modelRules: readonly Rule<SourceModel>[] = [
  ['id', ({ id }) => isText(id), 'a text'],
  ['name', ({ name }) => isText(name), 'a text'],
  ['family', ({ family }) => isAbsentOr(family, isText), 'a text'],
  ['release_date', (entry) => isDay(entry.release_date), 'YYYY-MM-DD or YYYY-MM'],
  ['knowledge', ({ knowledge }) => isAbsentOr(knowledge, isText), 'a text'],
  ['base_model', (entry) => isAbsentOr(entry.base_model, isText), 'a text'],
  ['modalities.input', ({ modalities }) => isTextList(modalities?.input), 'a list of texts'],
  ['modalities.output', ({ modalities }) => isTextList(modalities?.output), 'a list of texts'],
  ['limit.context', ({ limit }) => isNonNegativeNumber(limit?.context), 'a number, 0 or more'],
  ['limit.output', ({ limit }) => isNonNegativeNumber(limit?.output), 'a number, 0 or more'],
  ['limit.input', ({ limit }) => isAbsentOr(limit?.input, isNonNegativeNumber), 'a number, 0 or more'],
  ['cost.input', ({ cost }) => isAbsentOr(cost, () => isNonNegativeNumber(cost?.input)), 'a number, 0 or more'],
  ['cost.output', ({ cost }) => isAbsentOr(cost, () => isNonNegativeNumber(cost?.output)), 'a number, 0 or more'],
  ['cost', ({ cost }) => isAbsentOr(cost, () => arePrices(cost!)), 'numbers, 0 or more'],
  ['cost.tiers', ({ cost }) => isAbsentOr(cost?.tiers, areTiers), 'a list of prices, each with a tier.size'],
  ['experimental.modes', ({ experimental }) => areModes(experimental), 'modes with separate prices'],
  ['provider', ({ provider }) => isAbsentOr(provider, isObject), 'an object'],
]

const isDay = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d{2}(-\d{2})?$/.test(value) && !Number.isNaN(Date.parse(value))

const priceFields = [
  'cache_read',
  'cached_input',
  'cache_input',
  'cache_write',
  'cached_write',
  'reasoning',
  'input_audio',
  'output_audio',
  'image',
] as const

const arePrices = (cost: Partial<SourceCost>) =>
  priceFields.every((field) => isAbsentOr(cost[field], isNonNegativeNumber))

const areTiers = (tiers: unknown) =>
  Array.isArray(tiers) &&
  tiers.every(
    (tier) =>
      isNonNegativeNumber(tier?.tier?.size) &&
      isAbsentOr(tier.input, isNonNegativeNumber) &&
      isAbsentOr(tier.output, isNonNegativeNumber) &&
      arePrices(tier),
  )

/** A value that is not an object only marks the entry itself as experimental. */
const areModes = (experimental: SourceModel['experimental']) =>
  !isObject(experimental) ||
  isAbsentOr(
    (experimental as { modes?: object }).modes,
    (modes) => isObject(modes) && Object.values(modes!).every(isMode),
  )

const isMode = (mode: unknown) => isObject(mode) && isAbsentOr((mode as SourceMode).cost, isPartOfCost)

const isPartOfCost = (cost: unknown) => {
  const { input, output } = (cost ?? {}) as Partial<SourceCost>
  return (
    isObject(cost) &&
    isAbsentOr(input, isNonNegativeNumber) &&
    isAbsentOr(output, isNonNegativeNumber) &&
    arePrices(cost as Partial<SourceCost>)
  )
}

/** Describes the first violated rule of a provider; undefined if the provider is valid. */
export const findProviderProblem = (value: unknown) => firstViolation(value, providerRules)

/**
 * Describes the first violated rule of a model; undefined if the model is valid. Each start checks thousands of models, for
 * which a schema would be too slow.
 */
export const findModelProblem = (value: unknown) => firstViolation(value, modelRules)

function firstViolation<T>(value: unknown, rules: readonly Rule<T>[]): string | undefined {
  if (!isObject(value)) return 'expected an object'
  for (const [field, check, expected] of rules) {
    if (!check(value as T)) return `${field}: expected ${expected}`
  }
  return undefined
}

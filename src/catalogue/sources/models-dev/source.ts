/** USD per million tokens. */
export type SourceCost = {
  input: number
  output: number
  cache_read?: number
  cached_input?: number
  cache_input?: number
  cache_write?: number
  cached_write?: number
  reasoning?: number
  input_audio?: number
  output_audio?: number
  /** Of images in answers, per million tokens. */
  image?: number
}

/** The members of a models.dev entry that are used. */
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
  /** The member of a chat message in which the server expects the reasoning of earlier answers. */
  interleaved?: boolean | { field?: string }
  modalities: { input: string[]; output: string[] }
  limit: { context: number; output: number; input?: number }
  cost?: SourceCost & { tiers?: (Partial<SourceCost> & { tier: { type?: string; size: number } })[] }
  /** Other modes of serving, each with the request fields that select it. A boolean in some entries. */
  experimental?: { modes?: Record<string, SourceMode> } | boolean
  /** The API of this entry, if it differs from the provider's. */
  provider?: { npm?: string; api?: string; shape?: string }
}

export type SourceMode = { cost?: Partial<SourceCost>; provider?: { body?: { service_tier?: string } } }

export type SourceProvider = {
  id: string
  name: string
  /** The client package of its protocol. */
  npm: string
  api?: string
  env: string[]
  models: Record<string, unknown>
}

/** A rule that a value breaks, as `member: what is expected there`, is the first false one. */
type Rule<T> = readonly [member: string, holds: (value: T) => boolean, expected: string]

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isCount = (value: unknown) => typeof value === 'number' && value >= 0
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const ifThere = (value: unknown, holds: (value: unknown) => boolean) => value === undefined || holds(value)

const providerRules: readonly Rule<SourceProvider>[] = [
  ['id', ({ id }) => isText(id) && /^[a-z0-9][a-z0-9._-]*$/.test(id), 'a slug'],
  ['name', ({ name }) => isText(name), 'a text'],
  ['npm', ({ npm }) => isText(npm), 'the name of a package'],
  ['api', ({ api }) => ifThere(api, isText), 'a URL'],
  ['env', ({ env }) => isTexts(env), 'names of variables'],
  ['models', ({ models }) => isObject(models), 'an object'],
]

const modelRules: readonly Rule<SourceModel>[] = [
  ['id', ({ id }) => isText(id), 'a text'],
  ['name', ({ name }) => isText(name), 'a text'],
  ['family', ({ family }) => ifThere(family, isText), 'a text'],
  ['release_date', (entry) => isDay(entry.release_date), 'YYYY-MM-DD or YYYY-MM'],
  ['knowledge', ({ knowledge }) => ifThere(knowledge, isText), 'a text'],
  ['base_model', (entry) => ifThere(entry.base_model, isText), 'a text'],
  ['modalities.input', ({ modalities }) => isTexts(modalities?.input), 'a list of texts'],
  ['modalities.output', ({ modalities }) => isTexts(modalities?.output), 'a list of texts'],
  ['limit.context', ({ limit }) => isCount(limit?.context), 'a number, 0 or more'],
  ['limit.output', ({ limit }) => isCount(limit?.output), 'a number, 0 or more'],
  ['limit.input', ({ limit }) => ifThere(limit?.input, isCount), 'a number, 0 or more'],
  ['cost.input', ({ cost }) => ifThere(cost, () => isCount(cost?.input)), 'a number, 0 or more'],
  ['cost.output', ({ cost }) => ifThere(cost, () => isCount(cost?.output)), 'a number, 0 or more'],
  ['cost', ({ cost }) => ifThere(cost, () => arePrices(cost!)), 'numbers, 0 or more'],
  ['cost.tiers', ({ cost }) => ifThere(cost?.tiers, areTiers), 'a list of prices, each with a tier.size'],
  ['experimental.modes', ({ experimental }) => areModes(experimental), 'modes with separate prices'],
  ['provider', ({ provider }) => ifThere(provider, isObject), 'an object'],
]

const isDay = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d{2}(-\d{2})?$/.test(value) && !Number.isNaN(Date.parse(value))

const priceMembers = [
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

const arePrices = (cost: Partial<SourceCost>) => priceMembers.every((member) => ifThere(cost[member], isCount))

const areTiers = (tiers: unknown) =>
  Array.isArray(tiers) &&
  tiers.every(
    (tier) =>
      isCount(tier?.tier?.size) && ifThere(tier.input, isCount) && ifThere(tier.output, isCount) && arePrices(tier),
  )

/** A value that is not an object only marks the entry itself as experimental. */
const areModes = (experimental: SourceModel['experimental']) =>
  !isObject(experimental) ||
  ifThere((experimental as { modes?: object }).modes, (modes) => isObject(modes) && Object.values(modes!).every(isMode))

const isMode = (mode: unknown) => isObject(mode) && ifThere((mode as SourceMode).cost, isPartOfCost)

const isPartOfCost = (cost: unknown) => {
  const { input, output } = (cost ?? {}) as Partial<SourceCost>
  return isObject(cost) && ifThere(input, isCount) && ifThere(output, isCount) && arePrices(cost as Partial<SourceCost>)
}

/** The mistake in a provider, or undefined. */
export const providerFault = (value: unknown) => firstBroken(value, providerRules)

/**
 * The mistake in an entry, or undefined. Each start checks thousands of entries, so this is plain code, without a
 * schema.
 */
export const modelFault = (value: unknown) => firstBroken(value, modelRules)

function firstBroken<T>(value: unknown, rules: readonly Rule<T>[]): string | undefined {
  if (!isObject(value)) return 'expected an object'
  for (const [member, holds, expected] of rules) {
    if (!holds(value as T)) return `${member}: expected ${expected}`
  }
  return undefined
}

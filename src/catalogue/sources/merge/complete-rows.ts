import type { Endpoint, Model, Prices, Provider } from '../../index/model.ts'
import { defaultCanonicalSlug, parseAuthor } from '../../index/names/names.ts'
import type { EndpointPatch, ModelPatch, ProviderPatch } from '../layer.ts'
import { providerAliases } from './provider-aliases.ts'

/** Converts a patch to a provider, or returns which members are missing. */
export function completeProvider(slug: string, patch: ProviderPatch): Provider | string {
  const { name, protocol, aliases = providerAliases[slug] } = patch
  if (!name || !protocol) return missingMembers('provider', { name, protocol })
  const provider: Provider = {
    slug,
    name,
    protocol,
    baseUrl: patch.baseUrl ?? null,
    credentialVariables: patch.credentialVariables ?? [],
    privacyPolicyUrl: patch.privacyPolicyUrl ?? null,
    termsOfServiceUrl: patch.termsOfServiceUrl ?? null,
    statusPageUrl: patch.statusPageUrl ?? null,
  }
  if (aliases) provider.aliases = aliases
  if (patch.discover) provider.discover = true
  if (patch.compatibility) provider.compatibility = patch.compatibility
  if (patch.prices) provider.prices = patch.prices
  if (patch.tools) provider.tools = patch.tools
  return provider
}

/** Returns the id with its date as the canonical slug, or only the id if another model has the dated name as its id. */
function chooseCanonicalSlug(
  id: string,
  created: number | undefined,
  isModelId: (name: string) => boolean,
): string | undefined {
  const dated = defaultCanonicalSlug(id, created)
  return dated && dated !== id && isModelId(dated) ? id : dated
}

/** Converts a patch to a model without endpoints, or returns which members are missing. */
export function completeModel(id: string, patch: ModelPatch, isModelId: (name: string) => boolean): Model | string {
  const { name, created, contextLength } = patch
  const canonicalSlug = patch.canonicalSlug ?? chooseCanonicalSlug(id, created, isModelId)
  if (!name || created === undefined || !contextLength || !canonicalSlug)
    return missingMembers('model', { name, created: created !== undefined, context_length: contextLength })
  return {
    id,
    canonicalSlug,
    author: parseAuthor(id),
    name,
    description: patch.description ?? null,
    created,
    contextLength,
    inputModalities: patch.inputModalities ?? ['text'],
    outputModalities: patch.outputModalities ?? ['text'],
    tokenizer: patch.tokenizer ?? null,
    instructType: patch.instructType ?? null,
    family: patch.family ?? null,
    defaultParameters: patch.defaultParameters ?? null,
    perRequestLimits: patch.perRequestLimits ?? null,
    expirationDate: patch.expirationDate ?? null,
    knowledgeCutoff: patch.knowledgeCutoff ?? null,
    supportedVoices: patch.supportedVoices ?? null,
    aliases: patch.aliases ?? [],
    categories: patch.categories ?? [],
    distillable: patch.distillable ?? null,
    benchmarks: patch.benchmarks ?? {},
    endpoints: [],
  }
}

/** Converts a patch to an endpoint, or returns which members are missing. */
export function completeEndpoint(
  model: Model,
  provider: Provider,
  tag: string,
  patch: EndpointPatch,
): Endpoint | string {
  const { upstreamModel } = patch
  const prices = mergePrices(patch, provider)
  if (!upstreamModel || prices?.prompt === undefined || prices.completion === undefined) {
    return missingMembers('endpoint', {
      model: upstreamModel,
      'prices.prompt': prices?.prompt,
      'prices.completion': prices?.completion,
    })
  }
  const supportedParameters = patch.supportedParameters ?? [...assumedParameters]
  const supportsToolChoice = supportedParameters.includes('tool_choice')
  const endpoint: Endpoint = {
    id: `${model.id}@${tag}`,
    provider: provider.slug,
    tag,
    name: patch.name ?? `${provider.name} | ${model.canonicalSlug}`,
    upstreamModel,
    contextLength: patch.contextLength ?? model.contextLength,
    maxCompletionTokens: patch.maxCompletionTokens ?? null,
    maxPromptTokens: patch.maxPromptTokens ?? null,
    quantization: patch.quantization ?? 'unknown',
    prices: withTools({ ...prices, prompt: prices.prompt, completion: prices.completion }, provider),
    supportedParameters,
    supportsImplicitCaching: patch.supportsImplicitCaching ?? false,
    toolChoice: {
      auto: supportsToolChoice,
      none: supportsToolChoice,
      required: supportsToolChoice,
      function: supportsToolChoice,
      ...patch.toolChoice,
    },
    regions: patch.regions ?? [],
    zeroDataRetention: patch.zeroDataRetention ?? false,
    trainsOnData: patch.trainsOnData ?? false,
    publishesPrompts: patch.publishesPrompts ?? false,
    moderated: patch.moderated ?? false,
  }
  if (patch.protocol) endpoint.protocol = patch.protocol
  if (patch.baseUrl) endpoint.baseUrl = patch.baseUrl
  if (provider.compatibility || patch.compatibility)
    endpoint.compatibility = { ...provider.compatibility, ...patch.compatibility }
  if (!patch.supportedParameters) endpoint.parametersAssumed = true
  if (patch.weight !== undefined) endpoint.weight = patch.weight
  return endpoint
}

/**
 * The assumed parameters of an endpoint for which no source lists any. Most servers accept them.
 */
const assumedParameters = [
  'max_tokens',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'structured_outputs',
]

/**
 * Returns the prices of an endpoint. The prices of the provider are the defaults only if the endpoint has neither a prompt nor a
 * completion price.
 */
function mergePrices({ prices }: EndpointPatch, provider: Provider): Partial<Prices> | undefined {
  const hasTextPrices = prices?.prompt !== undefined || prices?.completion !== undefined
  return hasTextPrices ? prices : provider.prices && { ...provider.prices, ...prices }
}

/** Adds the provider's prices of tools that the endpoint does not price. */
function withTools(prices: Prices, { tools }: Provider): Prices {
  if (!tools) return prices
  // Without own prices of tools, thousands of endpoints share the object of their provider.
  return { ...prices, tools: prices.tools ? { ...tools, ...prices.tools } : tools }
}

/** Describes the missing members of a row that no earlier source completes: those that are not truthy. */
function missingMembers(kind: string, members: Record<string, unknown>): string {
  const missing = Object.keys(members).filter((name) => !members[name])
  if (missing.every((name) => name.startsWith('prices.')))
    return `it lacks ${missing.join(', ')}: set its prices here or at its provider, 0 if it is free`
  return `no earlier source contains this ${kind}, and here it lacks ${missing.join(', ')}`
}

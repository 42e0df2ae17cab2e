import type { CatalogueData, Endpoint, Model, Prices, Provider } from '../../index/model.ts'
import { defaultCanonicalSlug, parseProvider } from '../../index/names/names.ts'
import type { EndpointPatch, Layer, ModelPatch, ProviderPatch, RowNote } from '../layer.ts'
import { completeEndpoint, completeModel, completeProvider } from './complete-rows.ts'

/** Merges layers; later ones override earlier ones. Returns the catalogue and the rows that are incomplete. */
export function mergeLayers(layers: readonly Layer[]): { data: CatalogueData; skipped: RowNote[] } {
  const providers = mergeProviders(layers)
  const models = new Map<string, ModelPatch>()
  for (const layer of layers) {
    for (const [id, patch] of layer.models) setOrRemove(models, id, patch, overlayModel(id, models.get(id), patch))
  }
  const skipped: RowNote[] = []
  const skip = (path: string[], row: string, reason: string) => void skipped.push(skipRow(layers, path, row, reason))
  const providersBySlug = completeProviders(providers, findRemovedProviders(layers), skip)
  return {
    data: {
      providers: [...providersBySlug.values()].filter((provider) => provider !== null),
      models: completeModels(models, providersBySlug, skip),
    },
    skipped,
  }
}

/** The providers of all layers, merged. */
export function mergeProviders(layers: readonly Layer[]): Map<string, ProviderPatch> {
  const providers = new Map<string, ProviderPatch>()
  for (const layer of layers) {
    for (const [slug, patch] of layer.providers)
      setOrRemove(providers, slug, patch, overlayProvider(providers.get(slug), patch))
  }
  return providers
}

type Skip = (path: string[], row: string, reason: string) => void

function setOrRemove<T>(map: Map<string, T>, key: string, patch: { remove?: boolean }, merged: T): void {
  if (patch.remove) map.delete(key)
  else map.set(key, merged)
}

function overlayProvider(base: ProviderPatch | undefined, patch: ProviderPatch): ProviderPatch {
  return {
    ...base,
    ...patch,
    ...mergeField('tools', base, patch),
    ...mergeField('compatibility', base, patch),
    ...((base?.prices ?? patch.prices) && { prices: overlayPrices(base?.prices, patch.prices) }),
  }
}

/** Members of the patch override those of the base. Aliases are added. The canonical slug is never changed. */
function overlayModel(id: string, base: ModelPatch | undefined, patch: ModelPatch): ModelPatch {
  if (!base) return patch
  const endpoints = new Map(base.endpoints)
  for (const [tag, endpoint] of patch.endpoints) {
    setOrRemove(endpoints, tag, endpoint, overlayEndpoint(endpoints.get(tag), endpoint))
  }
  return {
    ...base,
    ...patch,
    canonicalSlug: base.canonicalSlug ?? defaultCanonicalSlug(id, base.created) ?? patch.canonicalSlug,
    aliases: [...new Set([...(base.aliases ?? []), ...(patch.aliases ?? [])])],
    benchmarks: { ...base.benchmarks, ...patch.benchmarks },
    endpoints,
  }
}

function overlayEndpoint(base: EndpointPatch | undefined, patch: EndpointPatch): EndpointPatch {
  // In a model that no earlier source has, `base` can be a removal.
  if (!base || base.remove) return patch
  return {
    ...base,
    ...patch,
    prices: overlayPrices(base.prices, patch.prices),
    toolChoice: { ...base.toolChoice, ...patch.toolChoice },
    ...mergeField('compatibility', base, patch),
  }
}

function overlayPrices(base: Partial<Prices> | undefined, patch: Partial<Prices> | undefined): Partial<Prices> {
  return { ...base, ...patch, ...mergeField('tools', base, patch), ...mergeField('serviceTiers', base, patch) }
}

/** Merges a field, whose value is an object, of two patches. Returns an object without it if neither has it. */
function mergeField<K extends string, T extends { [name in K]?: object }>(
  name: K,
  base: T = {} as T,
  patch: T = {} as T,
) {
  return (base[name] ?? patch[name]) ? { [name]: { ...base[name], ...patch[name] } } : {}
}

/** Removed providers, whose endpoints are removed without a report. */
function findRemovedProviders(layers: readonly Layer[]): Set<string> {
  const removed = new Set<string>()
  for (const { providers } of layers) {
    for (const [slug, { remove }] of providers) {
      if (remove) removed.add(slug)
      else removed.delete(slug)
    }
  }
  return removed
}

/** The complete providers by slug; null for a removed one. */
function completeProviders(
  patches: Map<string, ProviderPatch>,
  removed: Set<string>,
  skip: Skip,
): Map<string, Provider | null> {
  const providersBySlug = new Map<string, Provider | null>()
  for (const slug of removed) providersBySlug.set(slug, null)
  for (const [slug, patch] of patches) {
    const provider = completeProvider(slug, patch)
    if (typeof provider === 'string') skip(['providers', slug], slug, provider)
    else providersBySlug.set(slug, provider)
  }
  return providersBySlug
}

function completeModels(
  patches: Map<string, ModelPatch>,
  providersBySlug: Map<string, Provider | null>,
  skip: Skip,
): Model[] {
  const models: Model[] = []
  const idBySlug = new Map<string, string>()
  for (const [id, patch] of patches) {
    const path = ['models', id]
    const model = completeModel(id, patch, (name) => patches.has(name))
    if (typeof model === 'string') {
      skip(path, id, model)
      continue
    }
    const otherId = idBySlug.get(model.canonicalSlug)
    if (otherId) {
      skip(path, id, `the canonical slug ${model.canonicalSlug} is already that of ${otherId}`)
      continue
    }
    model.endpoints = completeEndpoints(model, patch, providersBySlug, skip)
    if (model.endpoints.length === 0) {
      if (patch.endpoints.size === 0) skip(path, id, 'it has no endpoint')
      continue
    }
    idBySlug.set(model.canonicalSlug, id)
    models.push(model)
  }
  return models
}

function completeEndpoints(
  model: Model,
  patch: ModelPatch,
  providersBySlug: Map<string, Provider | null>,
  skip: Skip,
): Endpoint[] {
  const endpoints: Endpoint[] = []
  for (const [tag, endpointPatch] of patch.endpoints) {
    const provider = providersBySlug.get(parseProvider(tag))
    if (provider === null || endpointPatch.remove) continue
    const endpoint = provider
      ? completeEndpoint(model, provider, tag, endpointPatch)
      : `unknown provider "${parseProvider(tag)}"`
    if (typeof endpoint === 'string') skip(['models', model.id, 'endpoints', tag], `${model.id}@${tag}`, endpoint)
    else endpoints.push(endpoint)
  }
  return endpoints
}

/** Reports a skipped row at the last source that mentions it. */
function skipRow(layers: readonly Layer[], path: string[], row: string, reason: string): RowNote {
  // `['providers', slug]`, `['models', id]` or `['models', id, 'endpoints', tag]`.
  const [kind, key = '', , tag] = path
  const mentionsRow = (layer: Layer) => {
    if (kind === 'providers') return layer.providers.has(key)
    return tag === undefined ? layer.models.has(key) : layer.models.get(key)?.endpoints.has(tag)
  }
  const layer = layers.findLast(mentionsRow) ?? layers[0]!
  return { source: layer.source, line: layer.findLine?.(path), row, reason }
}

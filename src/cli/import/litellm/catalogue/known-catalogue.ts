import type { CatalogueData, Endpoint, Model, Provider } from '#catalogue/index/model.ts'
import { compileSnapshot } from '#catalogue/index/snapshot.ts'

export type KnownEndpoint = { model: Model; endpoint: Endpoint }

/** Lookups in the catalogue without the user's catalogue file. */
export type KnownCatalogue = {
  provider: (slug: string) => Provider | undefined
  /** Finds a provider by the host of its address. */
  providerAt: (url: string) => Provider | undefined
  /** Finds an endpoint by the provider's name for the model, with or without a date at its end. */
  endpoint: (provider: string, upstream: string) => KnownEndpoint | undefined
  endpointsOf: (provider: string) => KnownEndpoint[]
  model: (name: string) => Model | undefined
}

export function knownCatalogue(data: CatalogueData): KnownCatalogue {
  const snapshot = compileSnapshot(data)
  const knownEndpoints = data.models.flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })))
  const byName = new Map(
    knownEndpoints.map((pair) => [`${pair.endpoint.provider} ${pair.endpoint.upstreamModel}`, pair]),
  )
  const byHost = new Map<string | undefined, Provider>(
    data.providers.flatMap((provider) => {
      const host = hostOf(provider.baseUrl)
      return host ? [[host, provider] as const] : []
    }),
  )
  const bySlug = new Map(data.providers.map((provider) => [provider.slug, provider]))
  return {
    provider: (slug) => bySlug.get(slug),
    providerAt: (url) => byHost.get(hostOf(url)),
    endpoint: (provider, upstream) =>
      byName.get(`${provider} ${upstream}`) ?? byName.get(`${provider} ${withoutDate(upstream)}`),
    endpointsOf: (provider) => knownEndpoints.filter(({ endpoint }) => endpoint.provider === provider),
    model: snapshot.findModel,
  }
}

const hostOf = (url: string | null) => (url ? URL.parse(url)?.host : undefined)
const withoutDate = (name: string) => name.replace(/-(20\d{6}|20\d\d-\d\d-\d\d|latest)$/, '')

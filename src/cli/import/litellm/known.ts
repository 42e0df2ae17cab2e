import type { CatalogueData, Endpoint, Model, Provider } from '#catalogue/index/model.ts'
import { compileSnapshot } from '#catalogue/index/snapshot.ts'

export type KnownEndpoint = { model: Model; endpoint: Endpoint }

/** The catalogue without any file of one's own, as rows of LiteLLM ask it. */
export type Known = {
  provider: (slug: string) => Provider | undefined
  /** By its address, whatever the version in it. */
  providerAt: (url: string) => Provider | undefined
  /** The endpoint with this name at a provider, with or without the date at its end. */
  endpoint: (provider: string, upstream: string) => KnownEndpoint | undefined
  endpointsOf: (provider: string) => KnownEndpoint[]
  model: (name: string) => Model | undefined
}

export function knownFrom(data: CatalogueData): Known {
  const snapshot = compileSnapshot(data)
  const all = data.models.flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })))
  const byName = new Map(all.map((one) => [`${one.endpoint.provider} ${one.endpoint.upstreamModel}`, one]))
  const byHost = new Map(data.providers.flatMap((one) => (hostOf(one.baseUrl) ? [[hostOf(one.baseUrl), one]] : [])))
  const slugs = new Map(data.providers.map((one) => [one.slug, one]))
  return {
    provider: (slug) => slugs.get(slug),
    providerAt: (url) => byHost.get(hostOf(url)),
    endpoint: (provider, upstream) =>
      byName.get(`${provider} ${upstream}`) ?? byName.get(`${provider} ${withoutDay(upstream)}`),
    endpointsOf: (provider) => all.filter(({ endpoint }) => endpoint.provider === provider),
    model: snapshot.findModel,
  }
}

const hostOf = (url: string | null) => (url ? URL.parse(url)?.host : undefined)
const withoutDay = (name: string) => name.replace(/-(20\d{6}|20\d\d-\d\d-\d\d|latest)$/, '')

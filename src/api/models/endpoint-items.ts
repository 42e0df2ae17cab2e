import { type EndpointItem, toEndpointItem } from '#catalogue/index/endpoint-item.ts'
import { endpointStatus } from '#catalogue/index/endpoint-status.ts'
import type { Endpoint, Model } from '#catalogue/index/model.ts'
import type { Snapshot } from '#catalogue/index/snapshot.ts'
import type { Config } from '#platform/config/settings.ts'
import { dialects } from './dialect.ts'

/** Returns a model's endpoints in their public form, with the latest measurements, and the status as the API dialect writes it. */
export function endpointItems(
  {
    config,
    hasCredential,
  }: { config: Pick<Config, 'dialect'>; hasCredential: (environmentVariable: string) => boolean },
  snapshot: Pick<Snapshot, 'findProvider' | 'figures'>,
  model: Model,
  endpoints: Endpoint[] = model.endpoints,
): EndpointItem[] {
  return endpoints.map((endpoint) => {
    const provider = snapshot.findProvider(endpoint.provider)
    const figures = snapshot.figures.endpoint(endpoint.id)
    return toEndpointItem(model, endpoint, {
      providerName: provider?.name ?? endpoint.provider,
      status: dialects[config.dialect].formatEndpointStatus(endpointStatus(provider, figures, hasCredential)),
      figures,
    })
  })
}

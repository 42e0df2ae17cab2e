import { once } from '#platform/async/once.ts'
import type { Endpoint, Model } from './model.ts'

/** Finds the endpoint of the same provider with this upstream model. */
type FindSibling = (endpoint: Endpoint, upstreamModel: string) => Endpoint | undefined

/** The lookup for each endpoint of a snapshot. Endpoints outside a snapshot have none. */
const lookups = new WeakMap<Endpoint, FindSibling>()

/** Links the endpoints of a snapshot, so that a tool that runs another model of the provider can be priced. */
export function linkSiblings(models: readonly Model[]): void {
  const byProvider = once(() => indexByProvider(models))
  const find: FindSibling = ({ provider }, upstreamModel) => byProvider().get(provider)?.get(undated(upstreamModel))
  for (const { endpoints } of models) for (const endpoint of endpoints) lookups.set(endpoint, find)
}

/** The endpoint of the same provider with this upstream model, dated or not. */
export function findSibling(endpoint: Endpoint, upstreamModel: string): Endpoint | undefined {
  return lookups.get(endpoint)?.(endpoint, upstreamModel)
}

/** The name of a model without its date: `claude-opus-4-6` for `claude-opus-4-6-20260205`. */
export const undated = (upstreamModel: string) => upstreamModel.replace(/[-@]20\d{6}$/, '')

function indexByProvider(models: readonly Model[]): Map<string, Map<string, Endpoint>> {
  const byProvider = new Map<string, Map<string, Endpoint>>()
  for (const { endpoints } of models)
    for (const endpoint of endpoints) {
      const byModel = byProvider.getOrInsertComputed(endpoint.provider, () => new Map<string, Endpoint>())
      const name = undated(endpoint.upstreamModel)
      if (!byModel.has(name)) byModel.set(name, endpoint)
    }
  return byProvider
}

import { once } from '#platform/async/once.ts'
import type { Endpoint, Model } from '../model.ts'

/** Finds the endpoint of the same provider with this upstream model. */
type FindSibling = (endpoint: Endpoint, upstreamModel: string) => Endpoint | undefined

/** The lookup for each endpoint of a snapshot. Endpoints outside a snapshot have none. */
const lookups = new WeakMap<Endpoint, FindSibling>()

/** Enables `findSibling` for the endpoints of a snapshot, so that a tool that runs another model of the provider can be priced. */
export function linkSiblingEndpoints(models: readonly Model[]): void {
  const byProvider = once(() => indexByProvider(models))
  const find: FindSibling = ({ provider }, upstreamModel) =>
    findByModelName(byProvider().get(provider) ?? [], upstreamModel, (endpoint) => endpoint.upstreamModel)
  for (const { endpoints } of models) for (const endpoint of endpoints) lookups.set(endpoint, find)
}

/** The endpoint of the same provider with exactly this upstream model, or else with one that differs only in its date. */
export function findSibling(endpoint: Endpoint, upstreamModel: string): Endpoint | undefined {
  return lookups.get(endpoint)?.(endpoint, upstreamModel)
}

/** The first item with exactly this name of a model, or else the first whose name differs only in its date. */
export function findByModelName<T>(items: readonly T[], name: string, nameOf: (item: T) => string): T | undefined {
  return (
    items.find((item) => nameOf(item) === name) ?? items.find((item) => withoutDate(nameOf(item)) === withoutDate(name))
  )
}

/** The name of a model without its date: `claude-opus-4-6` for `claude-opus-4-6-20260205`. */
const withoutDate = (upstreamModel: string) => upstreamModel.replace(/[-@]20\d{6}$/, '')

/** The endpoints of each provider, those of newer models first. */
function indexByProvider(models: readonly Model[]): Map<string, Endpoint[]> {
  return Map.groupBy(
    models.flatMap(({ endpoints }) => endpoints),
    ({ provider }) => provider,
  )
}

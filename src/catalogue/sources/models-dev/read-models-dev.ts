import { CatalogueError, type Layer } from '../layer.ts'
import { type Group, groupRows } from './group.ts'
import { identify, tagRows } from './identity.ts'
import { toModelPatch } from './patch.ts'
import { type Row, toRow } from './row.ts'
import { findModelProblem, findProviderProblem, type SourceModel, type SourceProvider } from './source.ts'
import type { StoredNames } from './stored-names.ts'
import { findCredentialVariables, isSameUpstreamApi, resolveUpstreamApi, type UpstreamApi } from './upstream-api.ts'

/**
 * Reads the data of models.dev (`https://models.dev/api.json`): the entries of many providers for one model become one
 * model with many endpoints, by the rules in docs/catalogue.md.
 * @param names the dated names that models already have.
 * @throws CatalogueError if the text does not have this form.
 */
export function readModelsDev(text: string, source: string, names: StoredNames = new Map()): Layer {
  const layer: Layer = { source, providers: new Map(), models: new Map(), skipped: [], mergedRows: 0 }
  const rows = [...readRows(parse(text, source), layer)]
  for (const group of groupRows(rows))
    addModel(layer, { author: group.author, rows: withoutSubscriptions(group, layer) }, names)
  for (const { provider, api } of rows) {
    if (layer.providers.has(provider.id)) continue
    const ownApi = resolveUpstreamApi(provider)
    const { protocol, baseUrl } = typeof ownApi === 'string' ? api : ownApi
    layer.providers.set(provider.id, {
      name: provider.name,
      protocol,
      baseUrl,
      credentialVariables: findCredentialVariables(provider),
    })
  }
  return layer
}

function parse(text: string, source: string): [id: string, provider: unknown][] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new CatalogueError(`${source} is not JSON: ${(error as Error).message}.`)
  }
  const providers = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (!providers.some(([, provider]) => typeof provider?.models === 'object')) {
    throw new CatalogueError(`${source} does not have the form of models.dev: it contains no provider with models.`)
  }
  return providers
}

/** Yields the usable entries. Adds all others to the skipped rows. */
function* readRows(providers: [id: string, provider: unknown][], layer: Layer): Generator<Row> {
  const skip = (row: string, reason: string) => void layer.skipped.push({ source: layer.source, row, reason })
  for (const [key, value] of providers) {
    const problem = findProviderProblem(value)
    if (problem) {
      skip(key, problem)
      continue
    }
    const provider = value as SourceProvider
    const defaultApi = resolveUpstreamApi(provider)
    for (const [id, entry] of Object.entries(provider.models)) {
      const row = findModelProblem(entry) ?? readUsableRow(provider, entry as SourceModel, defaultApi)
      if (typeof row === 'string') skip(`${key}/${id}`, row)
      else yield row
    }
  }
}

function readUsableRow(provider: SourceProvider, model: SourceModel, defaultApi: UpstreamApi | string): Row | string {
  const api = model.provider ? resolveUpstreamApi(provider, model) : defaultApi
  if (typeof api === 'string') return api
  if (!model.cost) return 'it has no price, so its cost could not be metered'
  return toRow(provider, model, api, isSameUpstreamApi(api, defaultApi))
}

const isFree = ({ model: { cost } }: Row) => cost?.input === 0 && cost.output === 0

/**
 * Removes rows with a price of zero if other providers charge for the model: they belong to a subscription or trial.
 * Variants named `free` are separate models and not affected.
 */
function withoutSubscriptions({ rows }: Group, layer: Layer): Row[] {
  const isSold = rows.some((row) => !isFree(row))
  const isSubscription = (row: Row) => isFree(row) && (isSold || /\b(plan|for coding)\b/i.test(row.provider.name))
  skipRows(layer, rows.filter(isSubscription), 'its price of 0 belongs to a subscription or trial, not to tokens')
  return rows.filter((row) => !isSubscription(row))
}

function addModel(layer: Layer, group: Group, names: StoredNames): void {
  if (group.rows.length === 0) return
  const identity = identify(group)
  if (layer.models.has(identity.id))
    return skipRows(layer, group.rows, `the id ${identity.id} is taken by another model`)
  const rows = tagRows(group.rows)
  const patch = toModelPatch(rows, { ...identity, canonicalSlug: names.get(identity.id) ?? identity.canonicalSlug })
  if (!patch.contextLength) return skipRows(layer, group.rows, 'its context length is unknown')
  layer.models.set(identity.id, patch)
  layer.mergedRows += rows.size - 1
  const usedTags = new Set(rows.values())
  skipRows(
    layer,
    group.rows.filter((row) => !usedTags.has(row)),
    'its provider lists it twice',
  )
}

function skipRows(layer: Layer, rows: readonly Row[], reason: string): void {
  for (const { provider, model } of rows) {
    layer.skipped.push({ source: layer.source, row: `${provider.id}/${model.id}`, reason })
  }
}

import { once } from '#platform/async/once.ts'
import { type Figures, noFigures } from '../measurements/figures.ts'
import { buildColumns, type Columns } from './columns.ts'
import { encodeItems, type Items } from './items.ts'
import type { CatalogueData, Model, Provider } from './model.ts'
import { mapModelNames, mapUntaggedNames } from './names/model-names.ts'
import { linkSiblingEndpoints } from './names/sibling-endpoints.ts'
import { createFixedOrders, createMeasuredOrders, type FixedOrders, type MeasuredOrders, type Sort } from './orders.ts'

/** Data that depends only on the catalogue. */
type CompiledCatalogue = {
  /** In default order: newest first, then by id. */
  models: readonly Model[]
  providers: readonly Provider[]
  /** By id (`author/slug`, `author/slug:variant`), canonical slug or alias. */
  findModel: (name: string) => Model | undefined
  /** By slug or alias, or by display name ignoring case. `Google AI Studio` is `google-ai-studio`. */
  findProvider: (slugOrName: string) => Provider | undefined
  /** The JSON of every model for lists, encoded at the first call. */
  items: () => Items
  columns: Columns
  orders: FixedOrders
}

/**
 * The catalogue, indexed for queries. Immutable: a reload builds a new snapshot and replaces this one. The indexes that
 * only lists of models need are built on first use.
 */
export class Snapshot {
  readonly models: CompiledCatalogue['models']
  readonly providers: CompiledCatalogue['providers']
  readonly findModel: CompiledCatalogue['findModel']
  readonly findProvider: CompiledCatalogue['findProvider']
  readonly columns: Columns
  readonly figures: Figures
  readonly #compiled: CompiledCatalogue
  readonly #measuredOrders: MeasuredOrders
  readonly #toolSuccess: () => Float64Array

  constructor(compiled: CompiledCatalogue, figures: Figures) {
    const { models } = compiled
    this.models = models
    this.providers = compiled.providers
    this.findModel = compiled.findModel
    this.findProvider = compiled.findProvider
    this.columns = compiled.columns
    this.figures = figures
    this.#compiled = compiled
    this.#measuredOrders = createMeasuredOrders(models, figures)
    this.#toolSuccess = once(() => Float64Array.from(models, ({ id }) => figures.model(id).toolSuccess ?? Number.NaN))
  }

  /** The JSON of every model for lists. */
  get items(): Items {
    return this.#compiled.items()
  }

  /** The success rate of requests with tools of each model, from 0 to 1; NaN without measurements. */
  get toolSuccess(): Float64Array {
    return this.#toolSuccess()
  }

  /** All models in this order; undefined for the default order, which is the order of `models`. */
  orderOf(sort: Sort | undefined): Uint32Array | undefined {
    if (sort === undefined || sort === 'newest') return undefined
    const { orders } = this.#compiled
    return { ...orders, ...this.#measuredOrders }[sort]()
  }

  /** Returns the same catalogue with newer measurements. Everything else is shared. */
  withFigures(figures: Figures): Snapshot {
    return new Snapshot(this.#compiled, figures)
  }
}

/** Compiles a catalogue. Models without endpoints are omitted. */
export function compileSnapshot(data: CatalogueData, figures: Figures = noFigures): Snapshot {
  const models = data.models
    .filter((model) => model.endpoints.length > 0)
    .sort((a, b) => b.created - a.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  // Enables `findSibling` for the endpoints, which are not changed.
  linkSiblingEndpoints(models)
  const modelByName = mapModelNames(models)
  const modelByUntaggedName = mapUntaggedNames(modelByName)
  // Slugs have priority over aliases, and aliases over display names: a later entry replaces an earlier one.
  const providerByName = new Map<string, Provider>()
  for (const provider of data.providers) providerByName.set(providerKey(provider.name), provider)
  for (const provider of data.providers) for (const alias of provider.aliases ?? []) providerByName.set(alias, provider)
  for (const provider of data.providers) providerByName.set(provider.slug, provider)
  const compiled: CompiledCatalogue = {
    models,
    providers: data.providers,
    findModel: (name) => modelByName.get(name) ?? modelByUntaggedName.get(name),
    findProvider: (name) => providerByName.get(name) ?? providerByName.get(providerKey(name)),
    items: once(() => encodeItems(models)),
    columns: buildColumns(models),
    orders: createFixedOrders(models),
  }
  return new Snapshot(compiled, figures)
}

const providerKey = (name: string) => name.toLowerCase().replaceAll(' ', '-')

import { UserFacingError } from '#platform/core/fault.ts'
import type { CatalogueData, Endpoint, Model, Prices, Provider } from '../index/model.ts'

/**
 * Why a row was skipped, or is most likely a mistake. `source` is a file or the list of a server; `row` is the model,
 * endpoint or provider.
 */
export type RowNote = { source: string; line?: number; row: string; reason: string }

/** Changes to a row. `remove` removes the row of earlier sources. */
type Patch<T> = Partial<T> & { remove?: boolean }

/** A later source can switch `discover` off again. */
export type ProviderPatch = Patch<Omit<Provider, 'slug' | 'discover'> & { discover: boolean }>

export type EndpointPatch = Patch<
  Omit<Endpoint, 'id' | 'tag' | 'provider' | 'prices' | 'toolChoice' | 'parametersAssumed'> & {
    prices: Partial<Prices>
    toolChoice: Partial<Endpoint['toolChoice']>
  }
>

export type ModelPatch = Patch<Omit<Model, 'id' | 'author' | 'endpoints'>> & {
  /** By `tag` of the endpoint. */
  endpoints: Map<string, EndpointPatch>
}

/** The content of one source. Rows can be incomplete, because other sources can complete them. */
export type Layer = {
  source: string
  /** By slug. */
  providers: Map<string, ProviderPatch>
  /** By id. */
  models: Map<string, ModelPatch>
  skipped: RowNote[]
  /** The number of rows that became endpoints of a model that another row had named already. */
  mergedRows: number
  /** The line number of a row, if the source has lines. */
  findLine?: (path: readonly PropertyKey[]) => number | undefined
}

/** The result of a load. */
export type LoadReport = {
  sources: string[]
  providers: number
  models: number
  endpoints: number
  /** The number of rows that became endpoints of a model that another row had named already. */
  merged: number
  skipped: RowNote[]
}

/** All sources together. */
export type Loaded = { data: CatalogueData; report: LoadReport }

/** The error for a source that cannot be used. The message names the source and the reason. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError'
  /** The catalogue that other processes of this host still use, if another process loads it for all of them. */
  readonly currentCatalogue: Loaded | undefined

  constructor(message: string, options?: ErrorOptions & { currentCatalogue?: Loaded }) {
    super(message, options)
    this.currentCatalogue = options?.currentCatalogue
  }
}

/** Throws a UserFacingError instead of a CatalogueError, so that it is printed as one sentence. */
export function throwAsUserFacingError(error: unknown): never {
  throw error instanceof CatalogueError ? new UserFacingError(error.message) : error
}

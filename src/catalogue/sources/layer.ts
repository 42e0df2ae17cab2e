import type { CatalogueData, Endpoint, Model, Prices, Provider } from '../index/model.ts'

/** A skipped row with the reason. `source` is a file or a name; `row` is the model, endpoint or provider. */
export type Skipped = { source: string; line?: number; row: string; reason: string }

/** Changes to a row. `remove` removes the row of earlier sources. */
type Patch<T> = Partial<T> & { remove?: boolean }

export type ProviderPatch = Patch<Omit<Provider, 'slug' | 'discover'> & { discover: boolean }>

export type EndpointPatch = Patch<
  Omit<Endpoint, 'id' | 'tag' | 'provider' | 'prices' | 'toolChoice' | 'parametersSupposed'> & {
    prices: Partial<Prices>
    toolChoice: Partial<Endpoint['toolChoice']>
  }
>

export type ModelPatch = Patch<Omit<Model, 'id' | 'author' | 'endpoints'>> & {
  /** By tag. */
  endpoints: Map<string, EndpointPatch>
}

/** The content of one source. A row may be partial: only all sources together must be complete. */
export type Layer = {
  source: string
  /** By slug. */
  providers: Map<string, ProviderPatch>
  /** By id. */
  models: Map<string, ModelPatch>
  skipped: Skipped[]
  /** The number of rows that became endpoints of a model that another row had named already. */
  mergedRows: number
  /** The line number of a row, if the source has lines. */
  lineOf?: (path: readonly PropertyKey[]) => number | undefined
}

/** The result of a load. */
export type LoadReport = {
  sources: string[]
  providers: number
  models: number
  endpoints: number
  /** The number of rows that became endpoints of a model that another row had named already. */
  merged: number
  skipped: Skipped[]
}

/** All sources together. */
export type Loaded = { data: CatalogueData; report: LoadReport }

/** A whole source that cannot be used; the message says which and why, in one sentence. */
export class CatalogueRefused extends Error {
  override readonly name = 'CatalogueRefused'
  /** The catalogue that other processes of this host still use, if another process reads for all of them. */
  readonly inForce: Loaded | undefined

  constructor(message: string, options?: ErrorOptions & { inForce?: Loaded }) {
    super(message, options)
    this.inForce = options?.inForce
  }
}

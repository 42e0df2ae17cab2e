import type { Model, Provider } from '#catalogue/index/model.ts'

/** Finds models by id, canonical slug or alias. */
export type ModelLookup = { findModel: (name: string) => Model | undefined; models?: readonly Model[] }

/** Finds providers by slug. */
export type ProviderLookup = { findProvider: (slug: string) => Provider | undefined }

/** The catalogue in use. A reload replaces the current snapshot. */
export type Catalogue<Lookup> = { current: () => Lookup }

import type { Model, Provider } from '#catalogue/index/model.ts'

/** Finds models by id, canonical slug or alias. The list is only for suggestions in errors and for `-latest` names. */
export type ModelLookup = { findModel: (name: string) => Model | undefined; models?: readonly Model[] }

/** Finds providers by slug, alias or display name. The list is only for suggestions in errors. */
export type ProviderLookup = { findProvider: (name: string) => Provider | undefined; providers?: readonly Provider[] }

/** The catalogue in use. A reload replaces the current snapshot. */
export type Catalogue<Lookup> = { current: () => Lookup }

import { isEmbeddingsName } from '#catalogue/sources/discovery/embeddings-names.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Row } from '../config.ts'
import type { ImportNotes } from '../import-notes.ts'
import { contextOf } from '../row-fields.ts'
import type { KnownCatalogue, KnownEndpoint } from './known-catalogue.ts'
import type { PriceRow } from './prices.ts'

export type EndpointRow = {
  model?: string
  protocol?: Protocol
  prices?: PriceRow
  context_length?: number
  max_completion_tokens?: number
  supported_parameters?: string[]
  weight?: number
}
export type ModelRow = {
  name?: string
  created?: string
  context_length?: number
  input_modalities?: string[]
  output_modalities?: string[]
  aliases?: string[]
  endpoints?: Record<string, EndpointRow>
}

/** Written for a model without a context length. Most current models have at least this one. */
const assumedContextLength = 131_072

/** The models of the catalogue file that is written. */
export class ModelRows {
  readonly #rows: Record<string, ModelRow> = {}
  readonly #catalogue: KnownCatalogue
  readonly #notes: ImportNotes
  readonly #today: string

  constructor(catalogue: KnownCatalogue, notes: ImportNotes, today: string) {
    this.#catalogue = catalogue
    this.#notes = notes
    this.#today = today
  }

  getOrAdd(id: string, row: Row, knownEndpoint: KnownEndpoint | undefined): ModelRow {
    const existing = this.#rows[id]
    if (existing) return existing
    const model: ModelRow = knownEndpoint?.model.id === id ? {} : this.#newModel(row, knownEndpoint)
    this.#rows[id] = model
    return model
  }

  /** Makes a model callable by a LiteLLM name. */
  addName(id: string, name: string): void {
    this.#rows[id] ??= {}
    const knownModel = this.#catalogue.model(name)
    if (knownModel && knownModel.id !== id) {
      this.#notes.add(
        name,
        `the catalogue has a model of this name, ${knownModel.id}, which is not ${id}: use ${id} in requests`,
      )
      return
    }
    const model = this.#rows[id]!
    if (name === id || knownModel || model.aliases?.includes(name)) return
    const isTaken = Object.values(this.#rows).some(({ aliases }) => aliases?.includes(name))
    if (!isTaken) model.aliases = [...(model.aliases ?? []), name]
  }

  /** The rows, without models that need no entry. */
  nonEmptyRows(): Record<string, ModelRow> {
    return Object.fromEntries(Object.entries(this.#rows).filter(([, row]) => Object.keys(row).length > 0))
  }

  #newModel(row: Row, knownEndpoint: KnownEndpoint | undefined): ModelRow {
    const info: Record<string, unknown> = { ...row.model_info, ...row.litellm_params }
    const supportsImages = info.supports_vision === true || info.supports_images === true
    const modalities = knownEndpoint?.model.inputModalities ?? (supportsImages ? ['text', 'image'] : undefined)
    const length = contextOf(row) || knownEndpoint?.endpoint.contextLength
    if (!length)
      this.#notes.add(row.model_name, `it has no context length (max_input_tokens): ${assumedContextLength} is written`)
    return {
      name: knownEndpoint?.model.name ?? row.litellm_params.model.split('/').at(-1)!,
      created: knownEndpoint ? new Date(knownEndpoint.model.created * 1000).toISOString().slice(0, 10) : this.#today,
      context_length: length || assumedContextLength,
      ...(modalities && { input_modalities: modalities }),
      ...(createsEmbeddings(row, knownEndpoint) && { output_modalities: ['embeddings'] }),
    }
  }
}

function createsEmbeddings(
  { model_info: info, litellm_params: { model } }: Row,
  endpoint: KnownEndpoint | undefined,
): boolean {
  if (endpoint) return endpoint.model.outputModalities.includes('embeddings')
  return info?.mode === 'embedding' || isEmbeddingsName(model)
}

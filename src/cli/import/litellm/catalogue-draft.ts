import { canBeCalled } from '#catalogue/index/model.ts'
import { isEmbeddingsName } from '#catalogue/sources/embeddings-names.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Row } from './config.ts'
import type { ImportNotes } from './import-notes.ts'
import type { KnownCatalogue, KnownEndpoint } from './known-catalogue.ts'
import { slugOf } from './names.ts'
import { copyPrices, type PriceRow, pricesOf } from './prices.ts'
import { type ProviderRow, ProviderRows } from './providers.ts'
import { answerLimitOf, contextOf, weightOf } from './row-fields.ts'
import { type Source, sourceOf } from './source.ts'
import { aliasesOfPattern } from './wildcard.ts'

type EndpointRow = {
  model?: string
  protocol?: Protocol
  prices?: PriceRow
  context_length?: number
  max_completion_tokens?: number
  supported_parameters?: string[]
  weight?: number
}
type ModelRow = {
  name?: string
  created?: string
  context_length?: number
  input_modalities?: string[]
  output_modalities?: string[]
  aliases?: string[]
  endpoints?: Record<string, EndpointRow>
}

/** The content of a catalogue file (docs/catalogue.md). */
export type CatalogueFile = { providers: Record<string, ProviderRow>; models: Record<string, ModelRow> }

export type ImportOptions = {
  today: string
  freeUnlessPriced: boolean
  /** The names whose rows are balanced by their weights. */
  weightedNames: ReadonlySet<string>
}

/** Imports the rows of `model_list` one by one. The result for a row depends on the rows before it. */
export class CatalogueDraft {
  readonly #models: Record<string, ModelRow> = {}
  /** Ids of the models of each `model_name`, first row first. */
  readonly groups = new Map<string, string[]>()
  readonly #catalogue: KnownCatalogue
  readonly #notes: ImportNotes
  readonly #options: ImportOptions
  readonly #providers: ProviderRows

  constructor(catalogue: KnownCatalogue, notes: ImportNotes, options: ImportOptions) {
    this.#catalogue = catalogue
    this.#notes = notes
    this.#options = options
    this.#providers = new ProviderRows(notes)
  }

  /** Imports a row. @returns why the row could not be imported */
  importRow(row: Row): string | undefined {
    const mode = row.model_info?.mode
    if (typeof mode === 'string' && !/^(chat|completion|responses|embedding)$/.test(mode))
      return `models of mode ${mode} are not supported`
    if (row.litellm_params.model === '*') {
      this.#notes.add(row.model_name, 'not needed: requests can use every model of the catalogue by its id')
      return undefined
    }
    const source = sourceOf(row, this.#catalogue)
    if (typeof source === 'string') return source
    if (row.model_name.includes('*') || source.upstream.includes('*')) return this.#importPattern(row, source)
    const knownEndpoint = this.#findKnownEndpoint(row, source)
    if (knownEndpoint && !canBeCalled(knownEndpoint.model))
      return `its output is ${knownEndpoint.model.outputModalities.join(' and ')}, which is not supported`
    if (!knownEndpoint && /whisper|(^|-)tts|dall-e|imagen|-image-|gpt-image|rerank/.test(source.upstream))
      return 'its output is neither text nor embeddings, which is not supported'
    const prices =
      pricesOf(row) ?? (knownEndpoint && copyPrices(knownEndpoint.endpoint)) ?? this.#zeroPrices(row, source)
    if (typeof prices === 'string') return prices
    const tag = this.#providers.add(row, source)
    if (this.#options.weightedNames.has(row.model_name)) {
      this.#writeWeightedEndpoint(tag, row, source, { prices, knownEndpoint })
      return undefined
    }
    const id = this.#modelIdFor(row, source, tag, knownEndpoint)
    this.#writeEndpoint(id, tag, row, source, { prices, knownEndpoint })
    this.#addToGroup(row.model_name, id)
    return undefined
  }

  /** Adds another name for a model of an imported row. @returns whether the model exists */
  addAlias(name: string, group: string): boolean {
    const id = this.groups.get(group)?.[0] ?? this.#catalogue.model(group)?.id
    if (!id) return false
    this.#addName(id, name)
    this.groups.set(name, this.groups.get(group) ?? [id])
    return true
  }

  /** The known endpoint of a row, also if the row uses another address for it. */
  #findKnownEndpoint(
    { model_info: info }: Row,
    { provider, upstream, referenceProvider }: Source,
  ): KnownEndpoint | undefined {
    if (provider) return this.#catalogue.endpoint(provider.slug, upstream)
    const base = typeof info?.base_model === 'string' ? info.base_model.split('/').at(-1)! : upstream
    return referenceProvider ? this.#catalogue.endpoint(referenceProvider, base) : undefined
  }

  /** Prices of 0 for a row without prices. @returns why the row cannot be imported without them */
  #zeroPrices(row: Row, { isSelfHosted, upstream, provider }: Source): PriceRow | string {
    if (provider)
      return `${provider.slug} has no model ${upstream} in the catalogue: run "npx signalbox catalogue sync" and retry, or add prices to the row`
    if (!isSelfHosted && !this.#options.freeUnlessPriced)
      return 'it has no input_cost_per_token and output_cost_per_token: set them, to 0 if the model is free, or import with --free-unless-priced'
    const reason = isSelfHosted ? 'it is your own server' : '--free-unless-priced is set'
    this.#notes.add(row.model_name, `it has no price: 0 is written, because ${reason}`)
    return { prompt: '0', completion: '0' }
  }

  /**
   * Rows of one name that use different servers for the same model become endpoints of one model. A row with a server that
   * the catalogue does not have becomes a separate model, so that its requests go only to the servers of its rows.
   */
  #modelIdFor(row: Row, { upstream, slug }: Source, tag: string, knownEndpoint: KnownEndpoint | undefined): string {
    if (knownEndpoint?.endpoint.provider === tag) return knownEndpoint.model.id
    const modelSlug = slugOf(upstream.split('/').at(-1) ?? upstream)
    const group = this.groups.get(row.model_name)
    return (
      group?.find((id) => id === knownEndpoint?.model.id || id.endsWith(`/${modelSlug}`)) ??
      `${tag.startsWith(slug) ? tag : slug}/${modelSlug}`
    )
  }

  #writeEndpoint(
    id: string,
    tag: string,
    row: Row,
    source: Source,
    { prices, knownEndpoint }: { prices: PriceRow; knownEndpoint: KnownEndpoint | undefined },
  ): void {
    const isKnownEndpoint = knownEndpoint?.endpoint.provider === tag
    const upstream = isKnownEndpoint ? {} : { model: source.upstream }
    const changed = pricesOf(row) || !isKnownEndpoint ? { prices } : {}
    const protocol = source.protocol === this.#providers.protocolOf(tag) ? {} : { protocol: source.protocol }
    const endpoint = { ...upstream, ...protocol, ...changed, ...(!knownEndpoint && answerLimitOf(row)) }
    const model = this.#getOrAddModel(id, row, knownEndpoint)
    if (Object.keys(endpoint).length > 0) {
      model.endpoints ??= {}
      model.endpoints[tag] = endpoint
    }
    this.#addName(id, row.model_name)
  }

  /** Rows with weights become endpoints of one separate model, also if they use different models. */
  #writeWeightedEndpoint(
    tag: string,
    row: Row,
    source: Source,
    { prices, knownEndpoint }: { prices: PriceRow; knownEndpoint: KnownEndpoint | undefined },
  ): void {
    const id = `litellm/${slugOf(row.model_name)}`
    const model = this.#getOrAddModel(id, row, knownEndpoint)
    model.name = row.model_name
    model.endpoints ??= {}
    const endpoints = model.endpoints
    const count = Object.keys(endpoints).filter((other) => other.split('/')[0] === tag).length
    const isListed = knownEndpoint && !knownEndpoint.endpoint.parametersAssumed
    endpoints[count === 0 ? tag : `${tag}/${count + 1}`] = {
      model: source.upstream,
      ...(source.protocol !== this.#providers.protocolOf(tag) && { protocol: source.protocol }),
      prices,
      context_length: contextOf(row) || knownEndpoint?.endpoint.contextLength || model.context_length!,
      ...(!knownEndpoint && answerLimitOf(row)),
      ...(isListed && { supported_parameters: knownEndpoint.endpoint.supportedParameters }),
      // LiteLLM never chooses a row without a weight if another one has a weight.
      weight: weightOf(row) ?? 0,
    }
    this.#addName(id, row.model_name)
    this.#addToGroup(row.model_name, id)
  }

  #getOrAddModel(id: string, row: Row, knownEndpoint: KnownEndpoint | undefined): ModelRow {
    const existing = this.#models[id]
    if (existing) return existing
    const model: ModelRow = knownEndpoint?.model.id === id ? {} : this.#newModel(row, knownEndpoint)
    this.#models[id] = model
    return model
  }

  #newModel(row: Row, knownEndpoint: KnownEndpoint | undefined): ModelRow {
    const info: Record<string, unknown> = { ...row.model_info, ...row.litellm_params }
    const supportsImages = info.supports_vision === true || info.supports_images === true
    const modalities = knownEndpoint?.model.inputModalities ?? (supportsImages ? ['text', 'image'] : undefined)
    const length = contextOf(row) || knownEndpoint?.endpoint.contextLength
    if (!length) this.#notes.add(row.model_name, 'it has no context length (max_input_tokens): 131072 is written')
    return {
      name: knownEndpoint?.model.name ?? row.litellm_params.model.split('/').at(-1)!,
      created: knownEndpoint
        ? new Date(knownEndpoint.model.created * 1000).toISOString().slice(0, 10)
        : this.#options.today,
      context_length: length || 131_072,
      ...(modalities && { input_modalities: modalities }),
      ...(createsEmbeddings(row, knownEndpoint) && { output_modalities: ['embeddings'] }),
    }
  }

  /** Makes a model callable by a LiteLLM name. */
  #addName(id: string, name: string): void {
    this.#models[id] ??= {}
    const knownModel = this.#catalogue.model(name)
    if (knownModel && knownModel.id !== id) {
      this.#notes.add(name, `the catalogue has a model of this name, ${knownModel.id}, which is not ${id}: name that`)
      return
    }
    const model = this.#models[id]!
    if (name === id || knownModel || model.aliases?.includes(name)) return
    const isTaken = Object.values(this.#models).some(({ aliases }) => aliases?.includes(name))
    if (!isTaken) model.aliases = [...(model.aliases ?? []), name]
  }

  #addToGroup(name: string, id: string): void {
    const ids = this.groups.getOrInsert(name, [])
    if (!ids.includes(id)) ids.push(id)
  }

  #importPattern(row: Row, source: Source): string | undefined {
    const { provider } = source
    if (!provider) {
      if (!source.isSelfHosted && !this.#options.freeUnlessPriced && !pricesOf(row))
        return 'it has no price for the models that it represents: set it to 0, or import with --free-unless-priced'
      if (!/^openai-/.test(source.protocol)) return 'only servers with a protocol of OpenAI can list their models'
      const slug = this.#providers.add(row, source, {
        discover: true,
        prices: pricesOf(row) ?? { prompt: '0', completion: '0' },
      })
      this.#notes.add(
        row.model_name,
        `the models are read from the list of the server, with the names ${slug}/… or those of the list`,
      )
      return undefined
    }
    this.#providers.add(row, source)
    for (const [alias, id] of aliasesOfPattern(
      row.model_name,
      source.upstream,
      this.#catalogue.endpointsOf(provider.slug),
    ))
      if (!this.#catalogue.model(alias)) this.#addName(id, alias)
    return undefined
  }

  /** The finished file, without models that need no entry. */
  toFile(): CatalogueFile {
    const models = Object.entries(this.#models).filter(([, model]) => Object.keys(model).length > 0)
    return { providers: this.#providers.rows, models: Object.fromEntries(models) }
  }
}

function createsEmbeddings(
  { model_info: info, litellm_params: { model } }: Row,
  endpoint: KnownEndpoint | undefined,
): boolean {
  if (endpoint) return endpoint.model.outputModalities.includes('embeddings')
  return info?.mode === 'embedding' || isEmbeddingsName(model)
}

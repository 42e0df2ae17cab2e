import { canBeCalled } from '#catalogue/index/model.ts'
import type { Row } from '../config.ts'
import type { ImportNotes } from '../import-notes.ts'
import { slugOf } from '../names.ts'
import { contextOf, outputLimitOf, weightOf } from '../row-fields.ts'
import type { KnownCatalogue, KnownEndpoint } from './known-catalogue.ts'
import { type EndpointRow, type ModelRow, ModelRows } from './model-rows.ts'
import { copyPrices, type PriceRow, pricesOf } from './prices.ts'
import { type ProviderRow, ProviderRows } from './providers.ts'
import { type Source, sourceOf } from './source.ts'
import { aliasesOfPattern } from './wildcard.ts'

/** The content of a catalogue file (docs/catalogue.md). */
export type CatalogueFile = { providers: Record<string, ProviderRow>; models: Record<string, ModelRow> }

type ImportOptions = {
  today: string
  freeUnlessPriced: boolean
  /** The names whose rows are balanced by their weights. */
  weightedNames: ReadonlySet<string>
}

/** Imports the rows of `model_list` one by one. The result for a row depends on the rows before it. */
export class CatalogueDraft {
  readonly #models: ModelRows
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
    this.#models = new ModelRows(catalogue, notes, options.today)
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
    this.#models.addName(id, name)
    this.groups.set(name, this.groups.get(group) ?? [id])
    return true
  }

  /** The known endpoint of a row, even if the row uses another address for it. */
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
    // Only what differs from the catalogue is written.
    const endpoint: EndpointRow = {}
    if (!isKnownEndpoint) endpoint.model = source.upstream
    if (source.protocol !== this.#providers.protocolOf(tag)) endpoint.protocol = source.protocol
    if (!isKnownEndpoint || pricesOf(row)) endpoint.prices = prices
    if (!knownEndpoint) Object.assign(endpoint, outputLimitOf(row))
    const model = this.#models.getOrAdd(id, row, knownEndpoint)
    if (Object.keys(endpoint).length > 0) {
      model.endpoints ??= {}
      model.endpoints[tag] = endpoint
    }
    this.#models.addName(id, row.model_name)
  }

  /** Rows with weights become endpoints of one separate model, even if they use different models. */
  #writeWeightedEndpoint(
    tag: string,
    row: Row,
    source: Source,
    { prices, knownEndpoint }: { prices: PriceRow; knownEndpoint: KnownEndpoint | undefined },
  ): void {
    const id = `litellm/${slugOf(row.model_name)}`
    const model = this.#models.getOrAdd(id, row, knownEndpoint)
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
      ...(!knownEndpoint && outputLimitOf(row)),
      ...(isListed && { supported_parameters: knownEndpoint.endpoint.supportedParameters }),
      // LiteLLM never chooses a row without a weight if another one has a weight.
      weight: weightOf(row) ?? 0,
    }
    this.#models.addName(id, row.model_name)
    this.#addToGroup(row.model_name, id)
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
      if (!this.#catalogue.model(alias)) this.#models.addName(id, alias)
    return undefined
  }

  /** The finished file, without models that need no entry. */
  toFile(): CatalogueFile {
    return { providers: this.#providers.rows, models: this.#models.nonEmptyRows() }
  }
}

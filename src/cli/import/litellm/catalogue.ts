import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Row } from './config.ts'
import type { Known, KnownEndpoint } from './known.ts'
import type { Left } from './left.ts'
import { slugOf } from './names.ts'
import { type PriceRow, pricesLike, pricesOf } from './prices.ts'
import { type ProviderRow, ProviderRows } from './providers.ts'
import { type Source, sourceOf } from './source.ts'
import { aliasesOfPattern } from './wildcard.ts'

type EndpointRow = {
  model?: string
  protocol?: Protocol
  prices?: PriceRow
  context_length?: number
  max_completion_tokens?: number
}
type ModelRow = {
  name?: string
  created?: string
  context_length?: number
  input_modalities?: string[]
  aliases?: string[]
  endpoints?: Record<string, EndpointRow>
}

/** A file of the catalogue (docs/catalogue.md) that is being written. */
export type CatalogueFile = { providers: Record<string, ProviderRow>; models: Record<string, ModelRow> }

export type ImportOptions = { today: string; freeUnlessPriced: boolean }

/** Imports the rows of `model_list` one by one. The result for a row depends on the rows before it. */
export class CatalogueDraft {
  readonly #models: Record<string, ModelRow> = {}
  /** Ids of the models of each `model_name`, first row first. */
  readonly groups = new Map<string, string[]>()
  readonly #known: Known
  readonly #left: Left
  readonly #options: ImportOptions
  readonly #providers: ProviderRows

  constructor(known: Known, left: Left, options: ImportOptions) {
    this.#known = known
    this.#left = left
    this.#options = options
    this.#providers = new ProviderRows(left)
  }

  /** @returns why the row could not be taken. */
  take(row: Row): string | undefined {
    const mode = row.model_info?.mode
    if (typeof mode === 'string' && !/^(chat|completion|responses)$/.test(mode))
      return `no operation takes models of mode ${mode} yet`
    if (row.litellm_params.model === '*') {
      this.#left.add(row.model_name, 'nothing to write: every model of the catalogue may be named, by its id there')
      return undefined
    }
    const source = sourceOf(row, this.#known)
    if (typeof source === 'string') return source
    if (row.model_name.includes('*') || source.upstream.includes('*')) return this.#takePattern(row, source)
    const known = this.#knownFor(row, source)
    if (known && !known.model.outputModalities.includes('text'))
      return `it makes ${known.model.outputModalities.join(' and ')}, which no operation takes yet`
    if (!known && /embed|whisper|(^|-)tts|dall-e|imagen|-image-|gpt-image|rerank/.test(source.upstream))
      return 'it makes no text, which is all that operations here take yet'
    const prices = pricesOf(row) ?? (known && pricesLike(known.endpoint)) ?? this.#free(row, source)
    if (typeof prices === 'string') return prices
    const tag = this.#providers.slugOf(row, source)
    const id = this.#idFor(row, source, tag, known)
    this.#write(id, tag, row, source, { prices, known })
    this.#group(row.model_name, id)
    return undefined
  }

  /** Another name of what rows named already. @returns whether any did. */
  alias(name: string, group: string): boolean {
    const id = this.groups.get(group)?.[0] ?? this.#known.model(group)?.id
    if (!id) return false
    this.#name(id, name)
    this.groups.set(name, this.groups.get(group) ?? [id])
    return true
  }

  /** The same model under another provider's name counts where the row says which it is. */
  #knownFor({ model_info: info }: Row, { provider, upstream, like }: Source): KnownEndpoint | undefined {
    if (provider) return this.#known.endpoint(provider.slug, upstream)
    const base = typeof info?.base_model === 'string' ? info.base_model.split('/').at(-1)! : upstream
    return like ? this.#known.endpoint(like, base) : undefined
  }

  #free(row: Row, { own, upstream, provider }: Source): PriceRow | string {
    if (provider)
      return `${provider.slug} has no model ${upstream} in the catalogue: try again after npx signalbox catalogue sync, or give prices`
    if (!own && !this.#options.freeUnlessPriced)
      return 'it says no input_cost_per_token and output_cost_per_token: say 0 where it is free, or import with --free-unless-priced'
    const whose = own ? 'it is a server of your own' : 'you said so'
    this.#left.add(row.model_name, `it says no price: 0 is written, as ${whose}`)
    return { prompt: '0', completion: '0' }
  }

  /**
   * Rows of one name that use different servers for the same model are endpoints of one model. A row that uses another
   * server than the catalogue knows becomes a model of its own, so that a request for it goes only where its rows say.
   */
  #idFor(row: Row, { upstream, slug }: Source, tag: string, known: KnownEndpoint | undefined): string {
    if (known?.endpoint.provider === tag) return known.model.id
    const last = slugOf(upstream.split('/').at(-1) ?? upstream)
    const group = this.groups.get(row.model_name)
    return (
      group?.find((id) => id === known?.model.id || id.endsWith(`/${last}`)) ??
      `${tag.startsWith(slug) ? tag : slug}/${last}`
    )
  }

  #write(
    id: string,
    tag: string,
    row: Row,
    source: Source,
    { prices, known }: { prices: PriceRow; known: KnownEndpoint | undefined },
  ): void {
    const said = { ...row.model_info, ...row.litellm_params } as Record<string, unknown>
    const context = Number(said.max_input_tokens ?? 0)
    const written = known?.endpoint.provider === tag
    const upstream = written ? {} : { model: source.upstream }
    const changed = pricesOf(row) || !written ? { prices } : {}
    const protocol = source.protocol === this.#providers.protocolOf(tag) ? {} : { protocol: source.protocol }
    const limit = !known && Number(said.max_output_tokens) > 0 ? Number(said.max_output_tokens) : 0
    const endpoint = { ...upstream, ...protocol, ...changed, ...(limit && { max_completion_tokens: limit }) }
    const model = this.#model(id, row, known, context)
    if (Object.keys(endpoint).length > 0) {
      model.endpoints ??= {}
      model.endpoints[tag] = endpoint
    }
    this.#name(id, row.model_name)
  }

  #model(id: string, row: Row, known: KnownEndpoint | undefined, context: number): ModelRow {
    const before = this.#models[id]
    if (before) return before
    const made: ModelRow = known?.model.id === id ? {} : this.#newModel(row, known, context)
    this.#models[id] = made
    return made
  }

  #newModel(row: Row, known: KnownEndpoint | undefined, context: number): ModelRow {
    const info: Record<string, unknown> = { ...row.model_info, ...row.litellm_params }
    const sees = info.supports_vision === true || info.supports_images === true
    const modalities = known?.model.inputModalities ?? (sees ? ['text', 'image'] : undefined)
    const length = context || known?.endpoint.contextLength
    if (!length) this.#left.add(row.model_name, 'its context length is not said (max_input_tokens): 131072 is written')
    return {
      name: known?.model.name ?? row.litellm_params.model.split('/').at(-1)!,
      created: known ? new Date(known.model.created * 1000).toISOString().slice(0, 10) : this.#options.today,
      context_length: length || 131_072,
      ...(modalities && { input_modalities: modalities }),
    }
  }

  #name(id: string, name: string): void {
    this.#models[id] ??= {}
    const known = this.#known.model(name)
    if (known && known.id !== id) {
      this.#left.add(name, `the catalogue has a model of this name, ${known.id}, which is not ${id}: name that`)
      return
    }
    const model = this.#models[id]!
    if (name === id || known || model.aliases?.includes(name)) return
    const other = Object.entries(this.#models).find(([, { aliases }]) => aliases?.includes(name))?.[0]
    if (!other) model.aliases = [...(model.aliases ?? []), name]
  }

  #group(name: string, id: string): void {
    const ids = this.groups.getOrInsert(name, [])
    if (!ids.includes(id)) ids.push(id)
  }

  #takePattern(row: Row, source: Source): string | undefined {
    const { provider } = source
    if (!provider) {
      if (!source.own && !this.#options.freeUnlessPriced && !pricesOf(row))
        return 'it says no price for the models it stands for: say 0, or import with --free-unless-priced'
      if (!/^openai-/.test(source.protocol)) return 'the models of a server are listed by protocols of OpenAI alone'
      const slug = this.#providers.slugOf(row, source, {
        discover: true,
        prices: pricesOf(row) ?? { prompt: '0', completion: '0' },
      })
      this.#left.add(
        row.model_name,
        `the server is asked for its models, which are named ${slug}/…, or as it names them`,
      )
      return undefined
    }
    this.#providers.slugOf(row, source)
    for (const [alias, id] of aliasesOfPattern(row.model_name, source.upstream, this.#known.endpointsOf(provider.slug)))
      if (!this.#known.model(alias)) this.#name(id, alias)
    return undefined
  }

  /** Rows that turned out to say nothing are left out. */
  finished(): CatalogueFile {
    const models = Object.entries(this.#models).filter(([, model]) => Object.keys(model).length > 0)
    return { providers: this.#providers.rows, models: Object.fromEntries(models) }
  }
}

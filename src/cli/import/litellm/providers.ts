import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Row } from './config.ts'
import type { Left } from './left.ts'
import { environmentName, variableOf } from './names.ts'
import type { PriceRow } from './prices.ts'
import type { Source } from './source.ts'

export type ProviderRow = {
  name?: string
  protocol?: Protocol
  base_url?: string
  credentials?: string[]
  discover?: true
  prices?: PriceRow
}

/** Values that servers without keys are given, since their clients want one. */
const noKey =
  /^(empty|none|null|n\/?a|dummy|fake|ollama|lm-?studio|local.*|not-?(needed|required|used)|no-?key.*|sk-no-?key.*|anything|unused|-|x+)$/i

/** The providers that rows ask: one for each address and key. */
export class ProviderRows {
  /** The providers to write: of a known provider, only the differences. */
  readonly rows: Record<string, ProviderRow> = {}
  readonly #left: Left
  /** By slug: whom it stands for. */
  readonly #taken = new Map<string, { like: string; protocol: Protocol }>()
  /** Keys that stand in the file, and the variables that they are to be put into. */
  readonly #secrets = new Map<string, string>()

  constructor(left: Left) {
    this.#left = left
  }

  protocolOf(slug: string): Protocol | undefined {
    return this.#taken.get(slug)?.protocol
  }

  /** @returns the slug of the provider that a row asks. */
  slugOf(row: Row, source: Source, more: Partial<ProviderRow> = {}): string {
    const { provider, baseUrl: base_url } = source
    if (provider && !row.litellm_params.api_key && this.#taken.has(provider.slug)) return provider.slug
    const variables = this.#variables(row, source)
    const like = `${base_url} ${variables.join(' ')}`
    const slug = this.#free(source.slug, like)
    if (this.#taken.has(slug)) return slug
    const known = provider?.slug === slug ? provider : undefined
    const protocol = known?.protocol ?? source.protocol
    this.#taken.set(slug, { like, protocol })
    const missing = variables.filter((name) => !known?.credentialVariables.includes(name))
    const credentials = [...missing, ...(known?.credentialVariables ?? [])]
    const said = missing.length > 0 ? { credentials, ...more } : more
    if (!known) this.rows[slug] = { name: slug, protocol, base_url, ...said }
    else if (Object.keys(said).length > 0) this.rows[slug] = said
    return slug
  }

  /** The first that is free or stands for the same: `openai`, `openai-2`, … */
  #free(slug: string, like: string): string {
    for (let count = 1; ; count++) {
      const tried = count === 1 ? slug : `${slug}-${count}`
      if ((this.#taken.get(tried)?.like ?? like) === like) return tried
    }
  }

  #variables({ model_name: name, litellm_params: { api_key: key } }: Row, source: Source): string[] {
    const { provider, own, slug } = source
    const variable = environmentName(key)
    if (variable) return [variable]
    const usual = source.variable ?? provider?.credentialVariables[0]
    if (!key) return usual && !own ? [usual] : []
    if (!provider && noKey.test(key)) return []
    const base = provider?.credentialVariables[0] ?? variableOf(slug)
    const taken = new Set(this.#secrets.values())
    const chosen = this.#secrets.getOrInsert(`${slug} ${key}`, taken.has(base) ? `${base}_${taken.size + 1}` : base)
    this.#left.add(name, `its api_key is not copied: put it into the variable ${chosen}`)
    return [chosen]
  }
}

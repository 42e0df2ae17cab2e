import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Row } from '../config.ts'
import type { ImportNotes } from '../import-notes.ts'
import { keyVariableName, referencedVariable } from '../names.ts'
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

/** Placeholder keys for servers without keys. */
const noKey =
  /^(empty|none|null|n\/?a|dummy|fake|ollama|lm-?studio|local.*|not-?(needed|required|used)|no-?key.*|sk-no-?key.*|anything|unused|-|x+)$/i

/** Collects the providers of rows: one for each address and key. */
export class ProviderRows {
  /** The providers to write: of a known provider, only the differences. */
  readonly rows: Record<string, ProviderRow> = {}
  readonly #notes: ImportNotes
  /** The providers by slug. `identity` is the address and the key variables. */
  readonly #providers = new Map<string, { identity: string; protocol: Protocol }>()
  /** The variable for each key that is written in the file. */
  readonly #secrets = new Map<string, string>()

  constructor(notes: ImportNotes) {
    this.#notes = notes
  }

  protocolOf(slug: string): Protocol | undefined {
    return this.#providers.get(slug)?.protocol
  }

  /** Adds the provider of a row, if it is new. @returns its slug */
  add(row: Row, source: Source, extraFields: Partial<ProviderRow> = {}): string {
    const { provider, baseUrl: base_url } = source
    // A row without a key can use the provider's own entry, because the credentials of that include the default variables.
    if (provider && !row.litellm_params.api_key && this.#providers.has(provider.slug)) return provider.slug
    const keyVariables = this.#keyVariables(row, source)
    const identity = `${base_url} ${keyVariables.join(' ')}`
    const slug = this.#slugFor(source.slug, identity)
    if (this.#providers.has(slug)) return slug
    const knownProvider = provider?.slug === slug ? provider : undefined
    const protocol = knownProvider?.protocol ?? source.protocol
    this.#providers.set(slug, { identity, protocol })
    const missing = keyVariables.filter((name) => !knownProvider?.credentialVariables.includes(name))
    const credentials = [...missing, ...(knownProvider?.credentialVariables ?? [])]
    const fields = missing.length > 0 ? { credentials, ...extraFields } : extraFields
    if (!knownProvider) this.rows[slug] = { name: slug, protocol, base_url, ...fields }
    else if (Object.keys(fields).length > 0) this.rows[slug] = fields
    return slug
  }

  /** The first slug of `openai`, `openai-2`, … that is unused or has the same identity. */
  #slugFor(slug: string, identity: string): string {
    for (let count = 1; ; count++) {
      const candidate = count === 1 ? slug : `${slug}-${count}`
      if ((this.#providers.get(candidate)?.identity ?? identity) === identity) return candidate
    }
  }

  #keyVariables({ model_name: name, litellm_params: { api_key: key } }: Row, source: Source): string[] {
    const { provider, isSelfHosted, slug } = source
    const variable = referencedVariable(key)
    if (variable) return [variable]
    const defaultVariable = source.variable ?? provider?.credentialVariables[0]
    if (!key) return defaultVariable && !isSelfHosted ? [defaultVariable] : []
    if (!provider && noKey.test(key)) return []
    const base = provider?.credentialVariables[0] ?? keyVariableName(slug)
    const usedVariables = new Set(this.#secrets.values())
    const chosen = this.#secrets.getOrInsert(
      `${slug} ${key}`,
      usedVariables.has(base) ? `${base}_${usedVariables.size + 1}` : base,
    )
    this.#notes.add(name, `its api_key is not copied: set the environment variable ${chosen} to it`)
    return [chosen]
  }
}

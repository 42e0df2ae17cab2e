import type { ProviderPreferences } from '#chat/fields/routing-fields.ts'
import { Fault } from '#platform/core/fault.ts'
import { nearestName } from '#platform/json/strict-fields.ts'
import type { ProviderLookup } from './catalogue-lookup.ts'

const preferenceLists = ['order', 'only', 'ignore'] as const

/** The most characters of an unknown name in a message. */
const maxQuotedLength = 80

/**
 * Replaces the aliases and display names of providers by their slugs, also in a tag of an endpoint such as `provider/fp8`.
 * @throws Fault `invalid` for a provider that the catalogue does not have, with the nearest name.
 */
export function withProviderSlugs<Preferences extends Pick<ProviderPreferences, (typeof preferenceLists)[number]>>(
  catalogue: ProviderLookup,
  preferences: Preferences | null | undefined,
): Preferences | null | undefined {
  if (!preferences || !preferenceLists.some((list) => preferences[list]?.length)) return preferences
  const slugs = preferenceLists.flatMap((list) => {
    const names = preferences[list]
    return names ? [[list, names.map((name, at) => resolveSlug(catalogue, name, `provider.${list}[${at}]`))]] : []
  })
  return { ...preferences, ...Object.fromEntries(slugs) }
}

function resolveSlug(catalogue: ProviderLookup, name: string, path: string): string {
  const slash = name.indexOf('/')
  const [base, suffix] = slash < 0 ? [name, ''] : [name.slice(0, slash), name.slice(slash).toLowerCase()]
  const provider = catalogue.findProvider(base)
  if (provider) return provider.slug + suffix
  const names = catalogue.providers?.flatMap(({ slug, aliases = [] }) => [slug, ...aliases]) ?? []
  const quoted = base.slice(0, maxQuotedLength)
  const nearest = nearestName(quoted, names)
  const suggestion = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  const message = `the catalogue does not have the provider ${JSON.stringify(quoted)}.${suggestion} GET /providers lists them all.`
  throw new Fault('invalid', `Invalid request: ${path}: ${message}`)
}

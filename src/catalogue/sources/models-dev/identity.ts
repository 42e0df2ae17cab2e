import { findAuthor } from './authors.ts'
import { findLeadRow, type Group } from './group.ts'
import type { Row } from './row.ts'

/** The names of a group: id, dated name if the vendor has one, and all other names `author/slug` in use. */
export type Identity = { id: string; canonicalSlug: string | undefined; aliases: string[] }

/**
 * Names a group. The id is OpenRouter's id of the model, which clients know, otherwise the base model of the entries,
 * otherwise the author's own name. A model without a known author gets the name of its provider.
 */
export function identify({ author, rows }: Group): Identity {
  const lead = findLeadRow(rows)
  if (!author)
    return {
      id: withVariant(`${lead.provider.id}/${toSlug(withoutFreeSuffix(lead))}`, lead),
      canonicalSlug: undefined,
      aliases: [],
    }
  const dated = rows.filter((row) => row.date !== undefined)
  const undated = rows.filter((row) => row.date === undefined)
  const release = dated.length > 0 ? withVariant(`${author}/${findLeadRow(dated).slug}`, lead) : undefined
  const slug = chooseSlug(author, undated.length > 0 ? undated : rows)
  const id = withVariant(`${author}/${slug}`, lead)
  const names = new Set<string>()
  for (const row of rows) {
    names.add(withVariant(`${author}/${row.slug}`, lead))
    if (row.hasMatchingBase) names.add(withVariant(row.model.base_model!.toLowerCase(), lead))
  }
  const aliases = [...names].filter((name) => name !== id && name !== release)
  return { id, canonicalSlug: release, aliases }
}

function chooseSlug(author: string, rows: readonly Row[]): string {
  const listed = rows.find((row) => row.provider.id === 'openrouter' && row.quantization === undefined)
  const [prefix = '', slug = ''] = listed?.model.id.toLowerCase().replace(/:.*/, '').split('/') ?? []
  if (slug && findAuthor(prefix, slug) === author) return slug
  const lead = findLeadRow(rows)
  return lead.isServedByAuthor || lead.hasMatchingBase ? lead.slug : mostFrequentSlug(rows)
}

/**
 * Returns the most frequent spelling. If several are equally frequent, returns the one with the most dots, as vendors write
 * versions.
 */
function mostFrequentSlug(rows: readonly Row[]): string {
  const dots = (slug: string) => slug.split('.').length
  const spellings = [...Map.groupBy(rows, (row) => row.slug)]
  spellings.sort(([a, rowsOfA], [b, rowsOfB]) => rowsOfB.length - rowsOfA.length || dots(b) - dots(a))
  return spellings[0]![0]
}

const withoutFreeSuffix = ({ model: { id }, variant }: Row) => (variant === 'free' ? id.replace(/-free$/i, '') : id)

const withVariant = (name: string, { variant }: Row) => (variant ? `${name}:${variant}` : name)

/** Converts a provider's name for a model to the second part of an id. */
function toSlug(listed: string): string {
  return listed
    .toLowerCase()
    .replace(/:.*/, '')
    .replace(/[^a-z0-9._+-]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
}

/**
 * Returns a tag for each row: the provider. If a provider has several rows, all but the one with the shortest name have a
 * suffix, so that a later entry does not change existing tags.
 */
export function tagRows(rows: readonly Row[]): Map<string, Row> {
  const tags = new Map<string, Row>()
  const shortestFirst = rows.toSorted(
    (a, b) => a.model.id.length - b.model.id.length || (a.model.id < b.model.id ? -1 : 1),
  )
  for (const row of shortestFirst) {
    const { id } = row.provider
    const quantizationTags = row.quantization && row.quantization !== 'unknown' ? [`${id}/${row.quantization}`] : []
    const nameTag = `${id}/${toSlug(row.model.id)}`
    const unusedTag = [id, ...quantizationTags, nameTag].find((tag) => !tags.has(tag))
    if (unusedTag) tags.set(unusedTag, row)
  }
  return new Map([...tags].sort(([, a], [, b]) => Number(b.isServedByAuthor) - Number(a.isServedByAuthor)))
}

import { editDistance } from '#platform/text/edit-distance.ts'

const maxSuggestions = 3

const maxTypos = 2
/** Shorter names allow fewer typos, because a typo can make another name. */
const lettersPerTypo = 5

/** A shorter name gets no suggestions, because too many ids contain it. */
const minLength = 3

/** The date or `-latest` at the end of a maker's name for a model. */
const versionPattern = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

/**
 * Suggests models for an unknown name: those whose id differs only in case, punctuation, author or date, contains the name, or
 * has a prefix of a library, such as `openrouter/`. Without any, suggests those with one or two typos. At most three, the most likely first.
 */
export function suggestModels(ids: Iterable<string>, name: string): string[] {
  const modelIds = [...ids]
  const similarIds = findSimilar(modelIds, name)
  if (similarIds.length > 0) return similarIds
  const undatedName = name.replace(versionPattern, '')
  if (undatedName !== name) return suggestModels(modelIds, undatedName)
  const colon = name.lastIndexOf(':')
  if (colon < 0) return findByEditDistance(modelIds, name)
  // Some libraries write `openai:gpt-5`.
  const similarOfAuthor = findSimilar(modelIds, name.replace(':', '/'))
  if (similarOfAuthor.length > 0) return similarOfAuthor
  // An unknown variant, such as `:online`: suggest the model itself.
  const ofModel = findSimilar(modelIds, name.slice(0, colon))
  return ofModel.length > 0 ? ofModel : findByEditDistance(modelIds, name.replace(':', '/'))
}

/** Finds ids that differ from the name only in case, punctuation or author, or contain it. */
function findSimilar(ids: string[], name: string): string[] {
  const normalized = normalize(name)
  return normalized.length < minLength ? [] : findNearest(ids, (id) => extraLength(normalize(id), normalized))
}

/** Finds ids with a small edit distance from the name. */
function findByEditDistance(ids: string[], name: string): string[] {
  const normalized = normalize(name)
  const maxDistance = Math.min(maxTypos, Math.floor(normalized.length / lettersPerTypo))
  return findNearest(ids, (id) => {
    const candidate = normalize(id)
    if (Math.abs(candidate.length - normalized.length) > maxDistance) return undefined
    const distance = editDistance(candidate, normalized)
    return distance <= maxDistance ? distance : undefined
  })
}

/** The ids with the smallest distance. @param distanceTo returns undefined for an id that is not similar. */
function findNearest(ids: string[], distanceTo: (id: string) => number | undefined): string[] {
  return ids
    .map((id) => ({ id, distance: distanceTo(id) ?? Infinity }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))
    .slice(0, maxSuggestions)
    .map(({ id }) => id)
}

const normalize = (name: string) => name.toLowerCase().replace(/^~|[\s_.:-]/g, '')
const slugOf = (id: string) => id.slice(id.indexOf('/') + 1)

/** The number of characters of the id that the name does not have; undefined if the id does not contain the name. */
function extraLength(id: string, name: string): number | undefined {
  const slug = slugOf(id)
  const slugName = slugOf(name)
  if (id === name || slug === slugName || name.endsWith(`/${id}`)) return 0
  return id.includes(name) || (slugName.length >= minLength && slug.includes(slugName))
    ? id.length - name.length
    : undefined
}

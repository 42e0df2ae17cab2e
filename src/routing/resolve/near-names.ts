const most = 3

/**
 * Suggests models for a name that does not exist: those whose name differs only in case or author, or contains it. At
 * most three, the most likely first.
 */
export function nearNames(ids: Iterable<string>, wanted: string): string[] {
  const known = [...ids]
  const near = alike(known, wanted)
  const colon = wanted.lastIndexOf(':')
  if (near.length > 0 || colon < 0) return near
  // Some libraries write `openai:gpt-5`.
  const ofAuthor = alike(known, wanted.replace(':', '/'))
  // A variant that there is not, such as `:online`: the model itself is what is left to name.
  return ofAuthor.length > 0 ? ofAuthor : alike(known, wanted.slice(0, colon))
}

function alike(ids: Iterable<string>, wanted: string): string[] {
  const name = plain(wanted)
  if (name.length < shortest) return []
  const near: { id: string; distance: number }[] = []
  for (const id of ids) {
    const distance = distanceOf(plain(id), name)
    if (distance !== undefined) near.push({ id, distance })
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))
    .slice(0, most)
    .map(({ id }) => id)
}

const plain = (name: string) => name.toLowerCase().replace(/^~|[\s_.:-]/g, '')
const slugOf = (id: string) => id.slice(id.indexOf('/') + 1)

/** Fewer characters are in too many names to mean one of them. */
const shortest = 3

/** The number of characters of the id that the name leaves out; undefined if the id does not contain the name. */
function distanceOf(id: string, name: string): number | undefined {
  const [slug, wanted] = [slugOf(id), slugOf(name)]
  if (id === name || slug === wanted) return 0
  return id.includes(name) || (wanted.length >= shortest && slug.includes(wanted)) ? id.length - name.length : undefined
}

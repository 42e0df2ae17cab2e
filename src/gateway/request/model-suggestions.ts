import { editDistance } from '#platform/text/edit-distance.ts'

const most = 3

/**
 * Suggests models for a name that does not exist: those whose name differs only in case or author, or contains it; else
 * those that a slip or two lead to. At most three, the most likely first.
 */
export function nearNames(ids: Iterable<string>, wanted: string): string[] {
  const known = [...ids]
  const near = alike(known, wanted)
  if (near.length > 0) return near
  const colon = wanted.lastIndexOf(':')
  if (colon < 0) return misspelt(known, wanted)
  // Some libraries write `openai:gpt-5`.
  const ofAuthor = alike(known, wanted.replace(':', '/'))
  // A variant that there is not, such as `:online`: the model itself is what is left to name.
  if (ofAuthor.length > 0) return ofAuthor
  const ofModel = alike(known, wanted.slice(0, colon))
  return ofModel.length > 0 ? ofModel : misspelt(known, wanted.replace(':', '/'))
}

function alike(ids: string[], wanted: string): string[] {
  const name = plain(wanted)
  return name.length < shortest ? [] : nearest(ids, (id) => distanceOf(plain(id), name))
}

function misspelt(ids: string[], wanted: string): string[] {
  const name = plain(wanted)
  const slips = Math.min(mostSlips, Math.floor(name.length / lettersPerSlip))
  return nearest(ids, (id) => {
    const known = plain(id)
    if (Math.abs(known.length - name.length) > slips) return undefined
    const distance = editDistance(known, name)
    return distance <= slips ? distance : undefined
  })
}

/** @param distanceTo undefined for a model that is not near. */
function nearest(ids: string[], distanceTo: (id: string) => number | undefined): string[] {
  return ids
    .map((id) => ({ id, distance: distanceTo(id) ?? Infinity }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))
    .slice(0, most)
    .map(({ id }) => id)
}

const plain = (name: string) => name.toLowerCase().replace(/^~|[\s_.:-]/g, '')
const slugOf = (id: string) => id.slice(id.indexOf('/') + 1)

/** In a short name a slip makes another name. */
const [mostSlips, lettersPerSlip] = [2, 5]

/** Fewer characters are in too many names to mean one of them. */
const shortest = 3

/** The number of characters of the id that the name leaves out; undefined if the id does not contain the name. */
function distanceOf(id: string, name: string): number | undefined {
  const [slug, wanted] = [slugOf(id), slugOf(name)]
  if (id === name || slug === wanted) return 0
  return id.includes(name) || (wanted.length >= shortest && slug.includes(wanted)) ? id.length - name.length : undefined
}

import { editDistance } from '../text/edit-distance.ts'
import { z } from './schema.ts'

/**
 * An object with these fields and no others, so that a misspelt field is not taken for a missing one. The error for an
 * unknown field names the field that was probably meant. `otherwise` is the error for a value that is not an object.
 */
export const strictFields = <Shape extends z.core.$ZodLooseShape>(shape: Shape, otherwise?: string) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownFields(issue.keys as string[], namesOf(issue.inst)) : otherwise,
  })

const namesOf = (schema: unknown) => Object.keys((schema as z.ZodObject | undefined)?.shape ?? {})

const maxFields = 5
const maxNameLength = 80

/** The message about unknown fields. */
export function unknownFields(unknown: string[], known: string[]): string {
  const described = unknown.slice(0, maxFields).map((field) => {
    const name = field.length > maxNameLength ? `${field.slice(0, maxNameLength)}…` : field
    const meant = nearestName(field.slice(0, maxNameLength), known)
    return `unknown field ${JSON.stringify(name)}${meant ? ` (did you mean ${JSON.stringify(meant)}?)` : ''}`
  })
  const more = unknown.length > maxFields ? ` and ${unknown.length - maxFields} more` : ''
  return `${described.join(', ')}${more}; it takes ${known.join(', ')}`
}

/** The one of the known names that is nearest, where one is near. */
export function nearestName(unknown: string, known: string[]): string | undefined {
  const near = known
    .map((name) => ({ name, distance: distance(plain(unknown), plain(name)) }))
    .filter(({ distance }) => distance <= 1)
  return near.sort((a, b) => a.distance - b.distance)[0]?.name
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** At most 1 for names of which one is a good part of the other, or that differ by a few slips of the hand. */
function distance(one: string, other: string): number {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (short.length >= 3 && long.includes(short) && short.length * 3 >= long.length)
    return 1 - short.length / long.length
  return editDistance(one, other) / Math.max(1, Math.min(4, Math.floor(long.length / 3)))
}

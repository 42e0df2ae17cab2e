import { editDistance } from '../text/edit-distance.ts'
import { z } from './schema.ts'

/**
 * An object without other fields, so that a misspelled field is an error. The error suggests the nearest known field.
 * `objectError` is the error for a value that is not an object.
 */
export const strictFields = <Shape extends z.core.$ZodLooseShape>(shape: Shape, objectError?: string) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownFields(issue.keys as string[], fieldNames(issue.inst)) : objectError,
  })

const fieldNames = (schema: unknown) => Object.keys((schema as z.ZodObject | undefined)?.shape ?? {})

const maxFields = 5
const maxNameLength = 80

/** The error message for unknown fields. */
export function unknownFields(unknown: string[], allowed: string[]): string {
  const descriptions = unknown.slice(0, maxFields).map((field) => {
    const name = field.length > maxNameLength ? `${field.slice(0, maxNameLength)}…` : field
    const nearest = nearestName(field.slice(0, maxNameLength), allowed)
    return `unknown field ${JSON.stringify(name)}${nearest ? ` (did you mean ${JSON.stringify(nearest)}?)` : ''}`
  })
  const omittedNote = unknown.length > maxFields ? ` and ${unknown.length - maxFields} more` : ''
  return `${descriptions.join(', ')}${omittedNote}; it takes ${allowed.join(', ') || 'no fields'}`
}

/** Returns the name that is most similar; undefined if none is similar. */
export function nearestName(unknown: string, names: string[]): string | undefined {
  const candidates = names
    .map((name) => ({ name, distance: relativeDistance(normalizeName(unknown), normalizeName(name)) }))
    .filter(({ distance }) => distance <= 1)
  return candidates.sort((a, b) => a.distance - b.distance)[0]?.name
}

const normalizeName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/**
 * Returns at most 1 for similar names. Names are similar if one contains the other and is at most three times as long. They are also
 * similar if they differ by at most one typing error per three letters, and by at most four.
 */
function relativeDistance(name: string, otherName: string): number {
  const [short, long] = name.length < otherName.length ? [name, otherName] : [otherName, name]
  if (short.length >= 3 && long.includes(short) && short.length * 3 >= long.length)
    return 1 - short.length / long.length
  return editDistance(name, otherName) / Math.max(1, Math.min(4, Math.floor(long.length / 3)))
}

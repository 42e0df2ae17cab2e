import { z } from './schema.ts'

/**
 * Text of at least `min` and at most `max` characters: code points, as JSON Schema counts them, not UTF-16 units.
 * No NUL, which Postgres cannot hold, and no half of a surrogate pair, which UTF-8 cannot.
 */
export function text({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .refine((value) => min === 0 || value !== '', { error: 'must not be empty', abort: true })
    .refine((value) => !isLonger(value, max), { error: `must have at most ${max} characters` })
    .refine((value) => min < 2 || isLonger(value, min - 1), { error: `must have at least ${min} characters` })
    .refine((value) => !value.includes('\0'), { error: 'must not contain the NUL character' })
    .refine((value) => value.isWellFormed(), { error: 'must not contain half of a surrogate pair' })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
}

/** Whether text has more than `max` characters; a very long one is not counted to its end. */
export function isLonger(value: string, max: number): boolean {
  if (value.length <= max) return false
  if (value.length > 2 * max) return true
  let characters = 0
  for (const _ of value) if (++characters > max) return true
  return false
}

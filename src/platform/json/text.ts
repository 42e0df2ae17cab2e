import { z } from './schema.ts'

/**
 * Text of `min` to `max` characters, counted as code points like in JSON Schema. Rejects NUL, which Postgres cannot store,
 * and lone surrogates, which UTF-8 cannot encode.
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

/** Whether text has more than `max` code points. Stops counting at `max`. */
export function isLonger(value: string, max: number): boolean {
  // A code point has one or two UTF-16 units.
  if (value.length <= max) return false
  if (value.length > 2 * max) return true
  let characters = 0
  for (const _ of value) if (++characters > max) return true
  return false
}

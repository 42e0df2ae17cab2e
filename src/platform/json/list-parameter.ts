import { z } from './schema.ts'

/** A list in a query: values are separated by commas, or the parameter is repeated. Empty values are rejected. */
export function listParameter<Word extends string>(words: readonly Word[]) {
  const item = z.enum(words)
  const wordPattern = `(${words.join('|')})`
  // The pattern is only for the API description: errors are reported for the items.
  const commaSeparated = z.string().meta({ pattern: `^${wordPattern}(,${wordPattern})*$` })
  return z
    .union([commaSeparated, z.array(commaSeparated)])
    .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((part) => part.split(',')))
    .pipe(z.array(item).min(1))
}

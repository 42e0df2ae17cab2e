import { z } from './schema.ts'

/** A list in a query: comma-separated and repeated values mean the same. An empty element is refused. */
export function listParameter<Word extends string>(words: readonly Word[]) {
  const item = z.enum(words)
  const one = `(${words.join('|')})`
  // Only for the description: the item itself reports errors.
  const written = z.string().meta({ pattern: `^${one}(,${one})*$` })
  return z
    .union([written, z.array(written)])
    .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((part) => part.split(',')))
    .pipe(z.array(item).min(1))
}

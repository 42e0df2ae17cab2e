import { z } from 'zod'

/** A list in a query: comma-separated and repeated values mean the same. An empty element is refused. */
export function listParameter<Words extends Readonly<Record<string, string>>>(item: z.ZodEnum<Words>) {
  const one = `(${item.options.join('|')})`
  // Told to readers of the description only: what is wrong is said by the item itself.
  const words = z.string().meta({ pattern: `^${one}(,${one})*$` })
  return z
    .union([words, z.array(words)])
    .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((part) => part.split(',')))
    .pipe(z.array(item).min(1))
}

import { z } from 'zod'

/** A list in a query: comma-separated and repeated values mean the same. An empty element is refused. */
export function listed<Item extends z.ZodType<string, string>>(item: Item) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((value) => (Array.isArray(value) ? value : [value]).flatMap((part) => part.split(',')))
    .pipe(z.array(item).min(1))
}

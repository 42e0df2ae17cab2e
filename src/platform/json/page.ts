import { z } from './schema.ts'
import { text } from './text.ts'
import { wholeNumber } from './whole-number.ts'

/** The highest `offset`. No list has more items. */
const maxOffset = 2 ** 31 - 1

/** The query of every list of the management API: `offset` from 0, `limit` 1 to 100, by default 50. */
export const PageQuery = z.object({
  offset: wholeNumber({ min: 0, max: maxOffset }).default(0).describe('Number of items to skip.'),
  limit: wholeNumber({ min: 1, max: 100 }).default(50).describe('Maximum number of items, 1 to 100.'),
})
export type PageQuery = z.infer<typeof PageQuery>

/** The search text of a list, the parameter `q`. */
export const SearchText = text({ max: 200 }).optional()

/** One page of a list, and the total number of items. */
export type Page<T> = { data: T[]; total_count: number }

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), total_count: z.number().int() })

import { mapItems } from '#platform/json/map-texts.ts'
import type { Body } from '../../protocol/protocol.ts'
import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'

/** Anthropic refuses more cache breakpoints. The one of the whole request counts as well. */
const maxMarks = 4

type MarkableItem = { cache_control?: unknown; content?: unknown } & Body

/**
 * Removes superfluous cache breakpoints: first earlier ones of the conversation, then those of tools and instructions. The
 * last one of the conversation stays, because its cache covers the longest prefix.
 */
export const limitCacheMarks: Repair = (body, dropped) => {
  const allowed = body.cache_control == null ? maxMarks : maxMarks - 1
  const fixedMarks = countMarks({ tools: body.tools, system: body.system })
  const turnMarks = countMarks({ messages: body.messages })
  const excess = fixedMarks + turnMarks - allowed
  if (excess <= 0) return body
  noteDropped(dropped, 'cache_control')
  const removedFromTurns = Math.min(excess, Math.max(0, turnMarks - 1))
  const { messages } = removeFirstMarks({ messages: body.messages }, removedFromTurns)
  const { tools, system } = removeFirstMarks({ tools: body.tools, system: body.system }, excess - removedFromTurns)
  return { ...body, ...(tools !== undefined && { tools }), ...(system !== undefined && { system }), messages }
}

function countMarks(lists: Body): number {
  let count = 0
  mapMarkedItems(lists, (marked) => {
    count++
    return marked
  })
  return count
}

function removeFirstMarks(lists: Body, count: number): Body {
  let remaining = count
  return mapMarkedItems(lists, (marked) => {
    if (remaining-- <= 0) return marked
    const { cache_control: _mark, ...rest } = marked
    return rest
  })
}

/** Changes each marked tool or block, in their order. */
function mapMarkedItems(lists: Body, change: (marked: MarkableItem) => MarkableItem): Body {
  const mapList = (list: unknown): unknown =>
    Array.isArray(list) ? mapItems(list as (MarkableItem | null)[], (item) => (item ? mapOne(item) : item)) : list
  const mapOne = (item: MarkableItem): MarkableItem => {
    const content = mapList(item.content)
    const inner = content === item.content ? item : { ...item, content }
    return inner.cache_control == null ? inner : change(inner)
  }
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, mapList(list)]))
}

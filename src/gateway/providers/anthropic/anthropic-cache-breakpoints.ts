import { mapItems } from '#platform/json/map-texts.ts'
import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'

/** Anthropic refuses more cache breakpoints. The one of the whole request counts as well. */
const maxBreakpoints = 4

type CacheableItem = { cache_control?: unknown; content?: unknown } & Body

/**
 * Removes superfluous cache breakpoints: first earlier ones of the conversation, then those of tools and instructions. The
 * last one of the conversation stays, because its cache covers the longest prefix.
 */
export const limitCacheBreakpoints: Repair = (body, dropped) => {
  const allowed = body.cache_control == null ? maxBreakpoints : maxBreakpoints - 1
  const fixedCount = countBreakpoints({ tools: body.tools, system: body.system })
  const conversationCount = countBreakpoints({ messages: body.messages })
  const excess = fixedCount + conversationCount - allowed
  if (excess <= 0) return body
  noteDropped(dropped, 'cache_control')
  const removedFromConversation = Math.min(excess, Math.max(0, conversationCount - 1))
  const { messages } = removeFirstBreakpoints({ messages: body.messages }, removedFromConversation)
  const { tools, system } = removeFirstBreakpoints(
    { tools: body.tools, system: body.system },
    excess - removedFromConversation,
  )
  return { ...body, ...(tools !== undefined && { tools }), ...(system !== undefined && { system }), messages }
}

function countBreakpoints(lists: Body): number {
  let count = 0
  mapItemsWithBreakpoint(lists, (item) => {
    count++
    return item
  })
  return count
}

function removeFirstBreakpoints(lists: Body, count: number): Body {
  let remaining = count
  return mapItemsWithBreakpoint(lists, (item) => {
    if (remaining-- <= 0) return item
    const { cache_control: _breakpoint, ...rest } = item
    return rest
  })
}

/** Changes each tool or block with a breakpoint, in their order. */
function mapItemsWithBreakpoint(lists: Body, change: (item: CacheableItem) => CacheableItem): Body {
  const mapList = (list: unknown): unknown =>
    Array.isArray(list) ? mapItems(list as (CacheableItem | null)[], (item) => (item ? mapOne(item) : item)) : list
  const mapOne = (item: CacheableItem): CacheableItem => {
    const content = mapList(item.content)
    const inner = content === item.content ? item : { ...item, content }
    return inner.cache_control == null ? inner : change(inner)
  }
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, mapList(list)]))
}

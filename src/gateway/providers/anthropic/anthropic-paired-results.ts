import {
  callsByPosition,
  missingResultText,
  orphanHeading,
  type Pairs,
  pairResults,
  type ToolEntry,
} from '../../protocol/repairs/paired-results.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'

type Block = { type?: unknown; id?: unknown; tool_use_id?: unknown; content?: unknown } & Body
type Turn = { role?: unknown; content?: unknown } & Body
type BlockEntry = ToolEntry & { block: Block; at: number }

/**
 * Puts results at the start of the turn after their calls, adds missing ones, and makes other results text. Anthropic refuses
 * results in other positions, calls without results, and results without calls.
 */
export const pairToolResults: Repair = (body) => {
  if (!Array.isArray(body.messages)) return body
  const turns = body.messages as Turn[]
  const entries = turns.flatMap(findToolEntries)
  if (entries.length === 0) return body
  const pairs = pairResults(entries)
  return isPaired(turns, entries, pairs) ? body : { ...body, messages: pairedTurns(turns, entries, pairs) }
}

function findToolEntries({ content }: Turn, position: number): BlockEntry[] {
  if (!Array.isArray(content)) return []
  return (content as Block[]).flatMap((block, at): BlockEntry[] => {
    if (block?.type === 'tool_use') return [{ id: block.id, isResult: false, position, block, at }]
    return block?.type === 'tool_result' ? [{ id: block.tool_use_id, isResult: true, position, block, at }] : []
  })
}

/** Whether the turn after each call starts with its results, and no result is elsewhere. */
function isPaired(turns: Turn[], entries: readonly BlockEntry[], { resultOf, orphans }: Pairs<BlockEntry>): boolean {
  if (orphans.size > 0) return false
  const leadingCounts = new Map<number, number>()
  return entries.every((entry) => {
    if (entry.isResult) return true
    const result = resultOf.get(entry)
    if (result?.position !== entry.position + 1) return false
    return (
      result.at <
      leadingCounts.getOrInsertComputed(result.position, (position) => countLeadingResults(turns[position]!))
    )
  })
}

function countLeadingResults({ content }: Turn): number {
  const blocks = content as Block[]
  const end = blocks.findIndex((block) => block?.type !== 'tool_result')
  return end === -1 ? blocks.length : end
}

function pairedTurns(turns: Turn[], entries: readonly BlockEntry[], { resultOf, orphans }: Pairs<BlockEntry>): Turn[] {
  const calls = callsByPosition(entries)
  const orphanBlocks = new Set([...orphans].map(({ block }) => block))
  const result: Turn[] = []
  let pendingResults: Block[] = []
  const flush = () => {
    if (pendingResults.length > 0) result.push({ role: 'user', content: pendingResults })
    pendingResults = []
  }
  for (const [position, message] of turns.entries()) {
    if (message.role !== 'user') flush()
    const content = Array.isArray(message.content)
      ? withoutResults(message.content as Block[], orphanBlocks)
      : message.content
    const withResults = pendingResults.length > 0 ? [...pendingResults, ...toBlockList(content)] : content
    pendingResults = []
    if (!Array.isArray(withResults) || withResults.length > 0) result.push({ ...message, content: withResults })
    pendingResults = (calls.get(position) ?? []).map((call) => resultOf.get(call)?.block ?? toMissingResult(call.id))
  }
  flush()
  return result
}

const toMissingResult = (id: unknown): Block => ({ type: 'tool_result', tool_use_id: id, content: missingResultText })

const toBlockList = (content: unknown): Block[] =>
  Array.isArray(content) ? (content as Block[]) : [{ type: 'text', text: content }]

/** Removes the results of calls. A result without a call remains as text. */
function withoutResults(blocks: Block[], orphans: ReadonlySet<Block>): Block[] {
  return blocks.flatMap((block) => {
    if (block?.type !== 'tool_result') return [block]
    if (!orphans.has(block)) return []
    const content = block.content == null || block.content === '' ? [] : toBlockList(block.content)
    return [{ type: 'text', text: orphanHeading(block.tool_use_id, block.is_error) }, ...content]
  })
}

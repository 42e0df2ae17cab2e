import type { Body } from '../request-body.ts'
import type { Repair } from './repair.ts'

/** A tool call or a tool result in a conversation. `position` is the index of its message or item. */
export type ToolEntry = { id: unknown; isResult: boolean; position: number }

/** The result of each call that has one, and the results without a call. */
export type Pairs<Entry extends ToolEntry> = { resultOf: ReadonlyMap<Entry, Entry>; orphans: ReadonlySet<Entry> }

/**
 * Pairs tool results with the calls before them. Interrupted agents and shortened conversations have calls without results and
 * results without calls, which providers refuse.
 */
export function pairResults<Entry extends ToolEntry>(entries: readonly Entry[]): Pairs<Entry> {
  const resultOf = new Map<Entry, Entry>()
  const orphans = new Set<Entry>()
  const callsWithoutResult = new Map<unknown, Entry[]>()
  for (const entry of entries) {
    const calls = callsWithoutResult.get(entry.id)
    if (!entry.isResult) {
      // Some models restart the numbering of calls in each response.
      if (calls?.[0]?.position === entry.position) calls.push(entry)
      else callsWithoutResult.set(entry.id, [entry])
      continue
    }
    const call = calls?.shift()
    if (call) resultOf.set(call, entry)
    else orphans.add(entry)
  }
  return { resultOf, orphans }
}

export function callsByPosition<Entry extends ToolEntry>(entries: readonly Entry[]): ReadonlyMap<number, Entry[]> {
  return Map.groupBy(
    entries.filter(({ isResult }) => !isResult),
    ({ position }) => position,
  )
}

/** The text of the result that is added for a call without one. */
export const missingResultText = 'The call has no result.'

/** Introduces a result whose call is not in the conversation. */
export const orphanHeading = (id: unknown, failed: unknown) =>
  `Result of the earlier tool call ${String(id)}${failed === true ? ', which failed' : ''}:`

type Message = { role?: unknown; content?: unknown; tool_calls?: unknown; tool_call_id?: unknown } & Body

/** Moves the results of a chat directly after their calls, adds missing results, and converts orphans to user messages. */
export function pairMessages<M extends object>(messages: M[]): M[] {
  const chatMessages = messages as Message[]
  const entries = findToolEntries(chatMessages)
  if (entries.length === 0) return messages
  const pairs = pairResults(entries)
  if (isPaired(chatMessages, entries, pairs)) return messages
  const callsOf = callsByPosition(entries)
  const orphans = new Set([...pairs.orphans].map(({ position }) => position))
  const result: Message[] = []
  for (const [position, message] of chatMessages.entries()) {
    if (message?.role !== 'tool') result.push(message)
    else if (orphans.has(position)) result.push(toUserMessage(message))
    for (const call of callsOf.get(position) ?? []) {
      const response = pairs.resultOf.get(call)
      result.push(
        response
          ? chatMessages[response.position]!
          : { role: 'tool', tool_call_id: call.id, content: missingResultText },
      )
    }
  }
  return result as M[]
}

/** Pairs the results of a chat body. */
export const pairChatResults: Repair = (body) => {
  if (!Array.isArray(body.messages)) return body
  const messages = pairMessages(body.messages as Message[])
  return messages === body.messages ? body : { ...body, messages }
}

/** Lists calls and results. The calls of consecutive responses get the position of the last response, because some clients split one. */
function findToolEntries(messages: Message[]): ToolEntry[] {
  const entries: ToolEntry[] = []
  let calls: ToolEntry[] = []
  for (const [position, message] of messages.entries()) {
    const { role, tool_call_id: id, tool_calls: toolCalls } = message ?? {}
    if (role === 'tool') entries.push({ id, isResult: true, position })
    if (role !== 'assistant') continue
    for (const call of Array.isArray(toolCalls) ? (toolCalls as ({ id?: unknown } | null)[]) : []) {
      const entry = { id: call?.id, isResult: false, position }
      calls.push(entry)
      entries.push(entry)
    }
    if (messages[position + 1]?.role === 'assistant') continue
    for (const call of calls) call.position = position
    calls = []
  }
  return entries
}

/** Whether each call has its result among the results directly after it, and there are no other results. */
function isPaired(
  messages: Message[],
  entries: readonly ToolEntry[],
  { resultOf, orphans }: Pairs<ToolEntry>,
): boolean {
  if (orphans.size > 0) return false
  const latestNonResults = findLatestNonResults(messages)
  return entries.every((entry) => {
    if (entry.isResult) return true
    const result = resultOf.get(entry)
    return result !== undefined && latestNonResults[result.position] === entry.position
  })
}

/** For each message, the index of the latest message up to it that is not a result. */
function findLatestNonResults(messages: Message[]): number[] {
  let last = -1
  return messages.map((message, position) => {
    if (message?.role !== 'tool') last = position
    return last
  })
}

function toUserMessage({ tool_call_id: id, content, is_error: failed }: Message): Message {
  const heading = orphanHeading(id, failed)
  if (!Array.isArray(content)) return { role: 'user', content: `${heading}\n${content ?? ''}` }
  return { role: 'user', content: [{ type: 'text', text: heading }, ...content] }
}

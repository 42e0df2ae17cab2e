import type { Body } from '../protocol.ts'
import type { Repair } from './repair.ts'

/** A tool call or a result in a conversation. `turn` is the number of its message or item. */
export type CallMark = { id: unknown; isResult: boolean; turn: number }

/** The result of each call that has one, and the results without a call. */
export type Pairs<Mark extends CallMark> = { resultOf: ReadonlyMap<Mark, Mark>; orphans: ReadonlySet<Mark> }

/**
 * Pairs results with the calls before them. Providers refuse calls without results and results without calls, which
 * interrupted agents and shortened conversations have.
 */
export function pairResults<Mark extends CallMark>(marks: readonly Mark[]): Pairs<Mark> {
  const resultOf = new Map<Mark, Mark>()
  const orphans = new Set<Mark>()
  const unansweredCalls = new Map<unknown, Mark[]>()
  for (const mark of marks) {
    const calls = unansweredCalls.get(mark.id)
    if (!mark.isResult) {
      // Some models start to number their calls again in each turn.
      if (calls?.[0]?.turn === mark.turn) calls.push(mark)
      else unansweredCalls.set(mark.id, [mark])
      continue
    }
    const call = calls?.shift()
    if (call) resultOf.set(call, mark)
    else orphans.add(mark)
  }
  return { resultOf, orphans }
}

export function callsByTurn<Mark extends CallMark>(marks: readonly Mark[]): ReadonlyMap<number, Mark[]> {
  return Map.groupBy(
    marks.filter(({ isResult }) => !isResult),
    ({ turn }) => turn,
  )
}

/** The text of the result that is added for a call without one. */
export const missingResultText = 'The call has no result.'

/** Introduces a result whose call is not in the conversation. */
export const orphanHeading = (id: unknown, failed: unknown) =>
  `Result of the earlier tool call ${String(id)}${failed === true ? ', which failed' : ''}:`

type Message = { role?: unknown; content?: unknown; tool_calls?: unknown; tool_call_id?: unknown } & Body

/** Puts the results of a chat directly after their calls, adds missing ones, and makes other results a user message. */
export function pairMessages<M extends object>(messages: M[]): M[] {
  const all = messages as Message[]
  const marks = findMarks(all)
  if (marks.length === 0) return messages
  const pairs = pairResults(marks)
  if (isPaired(all, marks, pairs)) return messages
  const callsOf = callsByTurn(marks)
  const orphans = new Set([...pairs.orphans].map(({ turn }) => turn))
  const result: Message[] = []
  for (const [turn, message] of all.entries()) {
    if (message?.role !== 'tool') result.push(message)
    else if (orphans.has(turn)) result.push(toUserMessage(message))
    for (const call of callsOf.get(turn) ?? []) {
      const answer = pairs.resultOf.get(call)
      result.push(answer ? all[answer.turn]! : { role: 'tool', tool_call_id: call.id, content: missingResultText })
    }
  }
  return result as M[]
}

/** The repair of a chat body that pairs its results. */
export const pairChatResults: Repair = (body) => {
  if (!Array.isArray(body.messages)) return body
  const messages = pairMessages(body.messages as Message[])
  return messages === body.messages ? body : { ...body, messages }
}

/** The calls of consecutive answers belong to the last of them, because some clients send one answer in two messages. */
function findMarks(messages: Message[]): CallMark[] {
  const marks: CallMark[] = []
  let calls: CallMark[] = []
  for (const [turn, message] of messages.entries()) {
    const { role, tool_call_id: id, tool_calls: toolCalls } = message ?? {}
    if (role === 'tool') marks.push({ id, isResult: true, turn })
    if (role !== 'assistant') continue
    for (const call of Array.isArray(toolCalls) ? (toolCalls as ({ id?: unknown } | null)[]) : []) {
      const mark = { id: call?.id, isResult: false, turn }
      calls.push(mark)
      marks.push(mark)
    }
    if (messages[turn + 1]?.role === 'assistant') continue
    for (const call of calls) call.turn = turn
    calls = []
  }
  return marks
}

/** Whether each call has its result among the results directly after it, and no result is elsewhere. */
function isPaired(messages: Message[], marks: readonly CallMark[], { resultOf, orphans }: Pairs<CallMark>): boolean {
  if (orphans.size > 0) return false
  const otherBefore = findLatestNonResults(messages)
  return marks.every((mark) => {
    if (mark.isResult) return true
    const result = resultOf.get(mark)
    return result !== undefined && otherBefore[result.turn] === mark.turn
  })
}

/** For each message the latest one, itself included, that is not a result. */
function findLatestNonResults(messages: Message[]): number[] {
  let last = -1
  return messages.map((message, turn) => {
    if (message?.role !== 'tool') last = turn
    return last
  })
}

function toUserMessage({ tool_call_id: id, content, is_error: failed }: Message): Message {
  const heading = orphanHeading(id, failed)
  if (!Array.isArray(content)) return { role: 'user', content: `${heading}\n${content ?? ''}` }
  return { role: 'user', content: [{ type: 'text', text: heading }, ...content] }
}

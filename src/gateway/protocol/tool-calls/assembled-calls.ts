import type { CompletionEvent } from '#chat/events.ts'

export type ToolCall = Extract<CompletionEvent, { type: 'tool_call' }>
type CallEvent = Extract<CompletionEvent, { type: 'tool_call' | 'tool_arguments' }>

/** A tool call with all of its arguments. */
export type AssembledCall = ToolCall & { args: string }

/** The calls among the events of a whole response, in order. */
export function assembleCalls(events: readonly CompletionEvent[]): AssembledCall[] {
  const calls = new Map<number, AssembledCall>()
  for (const event of listCallEvents(events)) {
    if (event.type === 'tool_call') {
      calls.set(event.index, { ...event, args: '' })
      continue
    }
    const call = calls.get(event.index)
    if (call) call.args += event.text
  }
  return [...calls.values()]
}

export function listCallEvents(events: readonly CompletionEvent[]): CallEvent[] {
  return events.filter((event) => event.type === 'tool_call' || event.type === 'tool_arguments')
}

/** The call that the events start. Undefined if the events are anything else. */
export function findOnlyStart(events: readonly CallEvent[]): ToolCall | undefined {
  const [first] = events
  return events.length === 1 && first?.type === 'tool_call' ? first : undefined
}

/** Whether the events add this text to the arguments of one call, and do nothing else. */
export function addsArguments(events: readonly CallEvent[], call: number, text: string): boolean {
  const pieces = events.filter((event) => event.type === 'tool_arguments')
  const isAllOfCall = pieces.length === events.length && pieces.every(({ index }) => index === call)
  return isAllOfCall && pieces.map((piece) => piece.text).join('') === text
}

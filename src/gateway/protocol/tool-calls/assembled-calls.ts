import type { AnswerEvent } from '#chat/events.ts'

export type ToolCall = Extract<AnswerEvent, { type: 'tool_call' }>
type CallEvent = Extract<AnswerEvent, { type: 'tool_call' | 'tool_arguments' }>

/** A call with the arguments that were read from it. */
export type AssembledCall = ToolCall & { args: string }

/** The calls among the events of a whole answer, in order. */
export function assembledCalls(events: readonly AnswerEvent[]): AssembledCall[] {
  const calls = new Map<number, AssembledCall>()
  for (const event of callEventsIn(events)) {
    if (event.type === 'tool_call') {
      calls.set(event.index, { ...event, args: '' })
      continue
    }
    const call = calls.get(event.index)
    if (call) call.args += event.text
  }
  return [...calls.values()]
}

export function callEventsIn(events: readonly AnswerEvent[]): CallEvent[] {
  return events.filter((event) => event.type === 'tool_call' || event.type === 'tool_arguments')
}

/** The call that the events start; undefined if they are anything else. */
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

import type { AnswerEvent } from '#chat/events.ts'

export type ToolCall = Extract<AnswerEvent, { type: 'tool_call' }>
type CallEvent = Extract<AnswerEvent, { type: 'tool_call' | 'tool_arguments' }>

/** A call with the arguments that were read from it. */
export type AssembledCall = ToolCall & { args: string }

/** The calls among the events of a whole answer, in order. */
export function assembledCalls(events: readonly AnswerEvent[]): AssembledCall[] {
  const calls: AssembledCall[] = []
  for (const event of callEventsIn(events)) {
    if (event.type === 'tool_call') calls[event.index] = { ...event, args: '' }
    else calls[event.index]!.args += event.text
  }
  return calls
}

export function callEventsIn(events: readonly AnswerEvent[]): CallEvent[] {
  return events.filter((event) => event.type === 'tool_call' || event.type === 'tool_arguments')
}

/** Whether the events are the start of one call and nothing else. */
export function startsCall(events: readonly CallEvent[]): events is [ToolCall] {
  return events.length === 1 && events[0]!.type === 'tool_call'
}

/** Whether the events add this text to the arguments of one call, and do nothing else. */
export function addsArguments(events: readonly CallEvent[], call: number, text: string): boolean {
  if (!events.every((event) => event.type === 'tool_arguments' && event.index === call)) return false
  return events.map((event) => (event.type === 'tool_arguments' ? event.text : '')).join('') === text
}

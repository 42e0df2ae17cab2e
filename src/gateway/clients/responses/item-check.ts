import type { AnswerEvent } from '#chat/events.ts'
import { addsArguments, callEventsIn, startsCall } from '../../protocol/tool-calls/assembled-calls.ts'
import type { CallItem, CustomCallItem } from './object.ts'

/** An output item of an upstream. Any member can be missing. */
export type RawItem = {
  type?: string
  id?: string
  call_id?: string
  name?: string
  namespace?: string
  arguments?: string
  input?: string
}

export type ItemEvent = {
  type?: string
  output_index?: number
  sequence_number?: number
  item?: RawItem
  delta?: string
  arguments?: string
  input?: string
  response?: { output?: RawItem[] | null }
}

export const isCall = (item: RawItem | null | undefined) =>
  item?.type === 'function_call' || item?.type === 'custom_tool_call'

export const readArguments = (item: { type?: string; arguments?: string; input?: string }) =>
  item.type === 'custom_tool_call' ? item.input : item.arguments

/** A call that the client has: its index among the calls and among the items, and its arguments so far. */
type RelayedCall = { call: number; index: number; item: CallItem | CustomCallItem; isDone: boolean }
type CallEvents = ReturnType<typeof callEventsIn>

/**
 * Tracks the items of a passed-through stream, and detects tool calls that clients would read differently from this
 * service.
 */
export class ItemCheck {
  readonly calls = new Map<number, RelayedCall>()
  /** The number of items so far. */
  count = 0
  /** The number of events so far. */
  events = 0

  /**
   * Tracks an event of the stream. @param events what this service read from it.
   * @returns whether the client can get it unchanged.
   */
  track(event: ItemEvent, events: readonly AnswerEvent[]): boolean {
    const calls = callEventsIn(events)
    const passed = this.calls.get(event.output_index ?? -1)
    switch (event.type) {
      case 'response.output_item.added':
        return this.#add(event, calls)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return passed !== undefined && addArguments(passed, event.delta ?? '', calls)
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return calls.length === 0 && isWhole(passed, event.arguments ?? event.input)
      case 'response.output_item.done':
        return calls.length === 0 && (!isCall(event.item) || finishIfSame(passed, event.item!))
      case 'response.completed':
        return calls.length === 0 && this.#isCompletedBy(event.response?.output ?? [])
      default:
        return calls.length === 0
    }
  }

  #add({ item, output_index: index }: ItemEvent, calls: CallEvents): boolean {
    if (!isCall(item)) {
      this.count = Math.max(this.count, (index ?? this.count) + 1)
      return calls.length === 0
    }
    if (index !== this.count || !startsCall(calls) || readArguments(item!)) return false
    const [{ index: call, id, name, custom }] = calls
    if (item!.call_id !== id || item!.name !== name || item!.id === undefined) return false
    const shared = { id: item!.id, status: 'in_progress' as const, call_id: id, name }
    const callItem: RelayedCall['item'] = custom
      ? { ...shared, type: 'custom_tool_call', input: '' }
      : { ...shared, type: 'function_call', arguments: '', ...(item!.namespace && { namespace: item!.namespace }) }
    this.calls.set(index, { call, index, item: callItem, isDone: false })
    this.count++
    return true
  }

  #isCompletedBy(output: RawItem[]): boolean {
    const passed = [...this.calls.values()]
    if (!passed.every((call) => call.isDone)) return false
    const callItems = output.filter(isCall)
    return callItems.length === passed.length && callItems.every((item, at) => isSame(passed[at]!.item, item))
  }
}

function addArguments({ call, item }: RelayedCall, text: string, calls: CallEvents): boolean {
  if (!addsArguments(calls, call, text)) return false
  if (item.type === 'custom_tool_call') item.input += text
  else item.arguments += text
  return true
}

/** An empty text is not valid JSON. */
function isWhole(passed: RelayedCall | undefined, text: string | undefined): boolean {
  if (!passed) return false
  return text === readArguments(passed.item) && (text !== '' || passed.item.type === 'custom_tool_call')
}

/** Marks the call as done if the item equals it. @returns whether it does. */
function finishIfSame(passed: RelayedCall | undefined, item: RawItem): boolean {
  if (!passed || !isWhole(passed, readArguments(item)) || !isSame(passed.item, item)) return false
  passed.isDone = true
  return true
}

function isSame(passedItem: RelayedCall['item'], item: RawItem): boolean {
  return (
    item.call_id === passedItem.call_id &&
    item.name === passedItem.name &&
    readArguments(item) === readArguments(passedItem)
  )
}

import type { CompletionEvent } from '#chat/events.ts'
import { addsArguments, findOnlyStart, listCallEvents } from '../../protocol/tool-calls/assembled-calls.ts'
import type { CallItem, CustomCallItem } from './object.ts'

/** An output item of an upstream. Any field can be missing. */
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

export const isCall = (item: RawItem | null | undefined): item is RawItem =>
  item?.type === 'function_call' || item?.type === 'custom_tool_call'

export const readArguments = (item: { type?: string; arguments?: string; input?: string }) =>
  item.type === 'custom_tool_call' ? item.input : item.arguments

/** A call that the client has: its index among the calls and among the items, and its arguments so far. */
type RelayedCall = { callIndex: number; outputIndex: number; item: CallItem | CustomCallItem; isDone: boolean }
/** The part of a stream that was passed to the client. */
export type RelayedItems = { calls: readonly RelayedCall[]; itemCount: number; eventCount: number }

type CallEvents = ReturnType<typeof listCallEvents>

/**
 * Tracks the items of a passed-through stream, and detects tool calls that clients would read differently from this
 * service.
 */
export class ItemTracker {
  /** The relayed calls by their index among the items. */
  readonly #calls = new Map<number, RelayedCall>()
  #itemCount = 0
  #eventCount = 0

  /** The items and the number of events that the client has. */
  get relayedItems(): RelayedItems {
    return { calls: [...this.#calls.values()], itemCount: this.#itemCount, eventCount: this.#eventCount }
  }

  /** Counts an event that was passed to the client. */
  countEvent(): void {
    this.#eventCount++
  }

  /**
   * Tracks an event of the stream.
   * @param events the events that this service read from the upstream's event.
   * @returns whether the client can get the event unchanged.
   */
  track(event: ItemEvent, events: readonly CompletionEvent[]): boolean {
    const calls = listCallEvents(events)
    // No call has the index -1 of an event without an index.
    const relayedCall = this.#calls.get(event.output_index ?? -1)
    switch (event.type) {
      case 'response.output_item.added':
        return this.#add(event, calls)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return relayedCall !== undefined && addArguments(relayedCall, event.delta ?? '', calls)
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return calls.length === 0 && isWhole(relayedCall, event.arguments ?? event.input)
      case 'response.output_item.done':
        return calls.length === 0 && (!isCall(event.item) || finishIfSame(relayedCall, event.item))
      case 'response.completed':
        return calls.length === 0 && this.#isCompletedBy(event.response?.output ?? [])
      default:
        return calls.length === 0
    }
  }

  #add({ item, output_index: outputIndex }: ItemEvent, calls: CallEvents): boolean {
    if (!isCall(item)) {
      this.#itemCount = Math.max(this.#itemCount, (outputIndex ?? this.#itemCount) + 1)
      return calls.length === 0
    }
    const call = findOnlyStart(calls)
    if (outputIndex !== this.#itemCount || !call || readArguments(item)) return false
    const { index: callIndex, id, name, custom } = call
    if (item.call_id !== id || item.name !== name || item.id === undefined) return false
    const shared = { id: item.id, status: 'in_progress' as const, call_id: id, name }
    const callItem: RelayedCall['item'] = custom
      ? { ...shared, type: 'custom_tool_call', input: '' }
      : { ...shared, type: 'function_call', arguments: '', ...(item.namespace && { namespace: item.namespace }) }
    this.#calls.set(outputIndex, { callIndex, outputIndex, item: callItem, isDone: false })
    this.#itemCount++
    return true
  }

  #isCompletedBy(output: RawItem[]): boolean {
    const relayedCalls = [...this.#calls.values()]
    if (!relayedCalls.every((call) => call.isDone)) return false
    const callItems = output.filter(isCall)
    return (
      callItems.length === relayedCalls.length && callItems.every((item, at) => isSame(relayedCalls[at]!.item, item))
    )
  }
}

function addArguments({ callIndex, item }: RelayedCall, text: string, calls: CallEvents): boolean {
  if (!addsArguments(calls, callIndex, text)) return false
  if (item.type === 'custom_tool_call') item.input += text
  else item.arguments += text
  return true
}

/** Whether a text is the complete arguments of a call. An empty text is complete only for a custom call: it is not valid JSON. */
function isWhole(call: RelayedCall | undefined, text: string | undefined): boolean {
  if (!call) return false
  return text === readArguments(call.item) && (text !== '' || call.item.type === 'custom_tool_call')
}

/** Marks the call as done if the item equals the call. @returns whether the item equals the call. */
function finishIfSame(call: RelayedCall | undefined, item: RawItem): boolean {
  if (!call || !isWhole(call, readArguments(item)) || !isSame(call.item, item)) return false
  call.isDone = true
  return true
}

function isSame(relayedItem: RelayedCall['item'], item: RawItem): boolean {
  return (
    item.call_id === relayedItem.call_id &&
    item.name === relayedItem.name &&
    readArguments(item) === readArguments(relayedItem)
  )
}

import type { CompletionEvent } from '#chat/events.ts'
import { toLatin1Json } from '#platform/json/json-text/json-fields.ts'
import type { ResponseHead } from '../../protocol/client-protocol.ts'
import { parseEventObject } from '../../protocol/passthrough-rewriter.ts'
import { type AssembledCall, assembleCalls, listCallEvents } from '../../protocol/tool-calls/assembled-calls.ts'
import { ItemTracker, isCall, type RawItem, readArguments } from './item-tracker.ts'
import { RepairedItems } from './repaired-items.ts'

/**
 * Repairs the tool calls of a passed-through stream. Rewrites calls from the first event on that violates the protocol.
 */
export class StreamCallRepair {
  readonly #head: ResponseHead
  readonly #tracker = new ItemTracker()
  #items: RepairedItems | undefined

  constructor(head: ResponseHead) {
    this.#head = head
  }

  /**
   * @param event the upstream's event as the client would get it.
   * @param events the events that this service read from the upstream's event.
   * @returns the bytes for the client.
   */
  repair(event: Buffer, events: readonly CompletionEvent[]): Buffer {
    if (this.#items) return this.#items.rewrite(parseEventObject(event), events, event)
    const passes = !isItemEvent(event, events) || this.#tracker.track(parseEventObject(event), events)
    if (passes) {
      this.#tracker.countEvent()
      return event
    }
    this.#items = new RepairedItems(this.#head.id, this.#tracker.relayedItems)
    return this.#items.rewrite(parseEventObject(event), events, event)
  }
}

/** Whether an event adds an item, or adds to a call. A cheap filter before parsing: few events do. */
function isItemEvent(event: Buffer, events: readonly CompletionEvent[]): boolean {
  if (listCallEvents(events).length > 0) return true
  return event.includes('_call') || event.includes('output_item.added') || event.includes('response.completed')
}

/**
 * Corrects the calls of a whole response, given as a latin1 string of its bytes.
 * @param events the events that this service read from the response.
 */
export function correctCalls(body: string, events: readonly CompletionEvent[]): string {
  const calls = assembleCalls(events)
  if (calls.length === 0) return body
  const response = JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as { output: RawItem[] }
  const callItems = response.output.filter(isCall)
  if (callItems.every((item, at) => calls[at] && isSame(item, calls[at]))) return body
  for (const [at, item] of callItems.entries()) if (calls[at]) Object.assign(item, toCallFields(item, calls[at]))
  return toLatin1Json(response)
}

function isSame(item: RawItem, { id, name, args }: AssembledCall): boolean {
  return item.call_id === id && item.name === name && readArguments(item) === args
}

function toCallFields({ type }: RawItem, { id, name, args }: AssembledCall): RawItem {
  return { call_id: id, name, ...(type === 'custom_tool_call' ? { input: args } : { arguments: args }) }
}

import type { CompletionEvent } from '#chat/events.ts'
import { ItemEvents } from './item-events.ts'
import { type ItemEvent, isCall, type RawItem, type RelayedItems } from './item-tracker.ts'
import type { CallItem, CustomCallItem, OutputItem } from './object.ts'

type Call = CallItem | CustomCallItem
type ToolCall = Extract<CompletionEvent, { type: 'tool_call' }>

/** A placeholder for an item of the upstream. Only the index matters. */
const emptyItem: OutputItem = { id: '', type: 'reasoning', summary: [] }

/**
 * The rest of a stream whose calls are rewritten. Other items are passed through with the indexes that the client
 * knows.
 */
export class RepairedItems {
  readonly #output: OutputItem[]
  readonly #items: ItemEvents
  readonly #calls = new Map<number, { item: Call; isDone: boolean }>()
  /** Maps the index of an item in the upstream's stream to the client's index. Items from before the repair keep theirs. */
  readonly #clientIndexes = new Map<number, number>()

  constructor(responseId: string, { itemCount, calls, eventCount }: RelayedItems) {
    this.#output = Array.from({ length: itemCount }, () => emptyItem)
    this.#items = new ItemEvents(this.#output, responseId, eventCount)
    for (const { callIndex, outputIndex, item, isDone } of calls) {
      this.#output[outputIndex] = item
      this.#items.register(item, outputIndex)
      this.#calls.set(callIndex, { item, isDone })
    }
  }

  /** Returns the bytes for the client. @param events the events that this service read from the upstream's event. */
  rewrite(event: ItemEvent, events: readonly CompletionEvent[], raw: Buffer): Buffer {
    const text = events.map((completionEvent) => this.#write(completionEvent)).join('')
    if (isCallEvent(event)) return Buffer.from(text)
    const status = event.type === 'response.completed' ? 'completed' : 'incomplete'
    const closingEvents = isEnd(event) ? this.#closeAll(status) : ''
    return Buffer.from(text + closingEvents + this.#renumber(event, raw))
  }

  #write(event: CompletionEvent): string {
    if (event.type === 'tool_call') return this.#start(event)
    const call = event.type === 'tool_arguments' ? this.#calls.get(event.index) : undefined
    return call && event.type === 'tool_arguments' ? this.#items.addInput(call.item, event.text) : ''
  }

  #start({ index, id: call_id, name, custom, namespace }: ToolCall): string {
    const shared = { id: this.#items.newId(custom ? 'ctc' : 'fc'), status: 'in_progress' as const, call_id, name }
    const item: Call = custom
      ? { ...shared, type: 'custom_tool_call', input: '' }
      : { ...shared, type: 'function_call', arguments: '', ...(namespace && { namespace }) }
    this.#calls.set(index, { item, isDone: false })
    return this.#items.addItem(item)
  }

  #closeAll(status: 'completed' | 'incomplete'): string {
    let text = ''
    for (const call of this.#calls.values()) {
      if (call.isDone) continue
      call.isDone = true
      call.item.status = status
      text += this.#items.finishInput(call.item) + this.#items.finishItem(call.item)
    }
    return text
  }

  #renumber(event: ItemEvent, raw: Buffer): string {
    if (typeof event.type !== 'string') return raw.toString('utf8')
    const { output_index: index, response } = event
    if (event.type === 'response.output_item.added' && index !== undefined)
      this.#clientIndexes.set(index, this.#output.push(emptyItem) - 1)
    const changed = {
      ...event,
      sequence_number: this.#items.nextNumber(),
      ...(index !== undefined && { output_index: this.#clientIndexes.get(index) ?? index }),
      ...(isEnd(event) && { response: { ...response, output: this.#outputWithCalls(response?.output ?? []) } }),
    }
    return `event: ${event.type}\ndata: ${JSON.stringify(changed)}\n\n`
  }

  /** The output of the upstream, with the calls as the client has them. */
  #outputWithCalls(items: RawItem[]): object[] {
    const calls = [...this.#calls.values()].map(({ item }) => item)
    // Each call takes the place of the upstream's call at the same position among the calls.
    const output = items.flatMap((item): object[] => (isCall(item) ? calls.splice(0, 1) : [item]))
    return [...output, ...calls]
  }
}

function isCallEvent({ type, item }: ItemEvent): boolean {
  if (type === 'response.output_item.added' || type === 'response.output_item.done') return isCall(item)
  return type !== undefined && /^response\.(function_call_arguments|custom_tool_call_input)\./.test(type)
}

const isEnd = ({ type }: ItemEvent) =>
  type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed'

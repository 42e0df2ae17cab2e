import { argumentsText, type ToolCallFragment } from '../../protocol/tool-calls/fragment.ts'
import { readCallId, toCallFragment, toClosedCallFragment } from './openai-responses-events.ts'
import type { Event, Item } from './openai-responses-format.ts'

/** A call of the stream. Some servers change both of its ids between events. */
type StreamedCall = {
  /** The index of its item in the output, or a generated one. It stays the same, and becomes the index of its fragments. */
  key: number
  callId?: string | undefined
  name?: string | undefined
  args?: string | undefined
  /** Whether the event that adds its item has come. Some servers send the arguments before it. */
  isAnnounced: boolean
  /** Whether the event that ends its item has come. */
  isDone: boolean
}

/** Finds the call that each event of one response belongs to. */
export class ResponseCalls {
  readonly #calls: StreamedCall[] = []
  /** By the index of the item in the output. If several calls have one index, the newest of them. */
  readonly #byIndex = new Map<number, StreamedCall>()
  readonly #byItem = new Map<string, StreamedCall>()
  readonly #byCallId = new Map<string, StreamedCall>()

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  /** @param index the index of the item in the output. */
  startCall(item: Item, index: number | undefined): ToolCallFragment {
    const existing = this.#find(index, item.id)
    const call = existing && !existing.isAnnounced && !existing.isDone ? existing : this.#create(index, item.id)
    call.isAnnounced = true
    return this.#toFragment(call, toCallFragment(item, call.key), item)
  }

  addArguments(event: Event): ToolCallFragment {
    return { type: 'call_fragment', upstreamIndex: this.#findOrCreate(event)?.key, text: argumentsText(event.delta) }
  }

  /** Leaves the call open while its id is unknown: the event that ends its item can bring the id. */
  finishArguments(event: Event): ToolCallFragment {
    const call = this.#findOrCreate(event)
    const { name, call_id: id } = event
    if (call) {
      call.name ??= name
      call.callId ??= id
    }
    return {
      type: 'call_fragment',
      upstreamIndex: call?.key,
      name,
      // The client already has the first id of the call. A changed one is not sent.
      id: call?.callId === id ? id : undefined,
      wholeArguments: argumentsText(event.arguments ?? event.input),
      ...(call?.callId !== undefined && { isClosed: true }),
    }
  }

  /** A call that has ended can end again. Another call with its index or item id is a new call. */
  finishCall(item: Item, index: number | undefined): ToolCallFragment {
    const existing = this.#find(index, item.id)
    const isSame =
      existing && (!existing.isDone || existing.callId === readCallId(item) || canBeSameCall(existing, item))
    return this.#end(isSame ? existing : this.#create(index, item.id), item)
  }

  /** The calls of the whole response, by their items. A call with other ids than before is found by its position. */
  finishAll(items: readonly Item[]): ReadonlyMap<Item, ToolCallFragment[]> {
    const existing = items.map((item) => this.#findByIds(item))
    const existingCalls = new Set(existing)
    // A copy, because `#create` adds calls below.
    const streamed = [...this.#calls]
    return new Map(
      items.map((item, at) => {
        const atPosition = streamed[at]
        const isFree = atPosition && !existingCalls.has(atPosition) && canBeSameCall(atPosition, item)
        const call = existing[at] ?? (isFree ? atPosition : this.#create(undefined, undefined))
        return [item, [this.#end(call, item)]]
      }),
    )
  }

  #findByIds({ id, call_id }: Item): StreamedCall | undefined {
    const callById = call_id ? this.#byCallId.get(call_id) : undefined
    return callById ?? (id === undefined ? undefined : this.#byItem.get(id))
  }

  #end(call: StreamedCall, item: Item): ToolCallFragment {
    call.isDone = true
    call.args = argumentsText(item.type === 'custom_tool_call' ? item.input : item.arguments)
    return this.#toFragment(call, toClosedCallFragment(item, call.key), item)
  }

  /** Registers the ids of the call. @returns the fragment with the id that the client has. */
  #toFragment(call: StreamedCall, fragment: ToolCallFragment, item: Item): ToolCallFragment {
    if (item.id !== undefined) this.#byItem.set(item.id, call)
    call.name ??= item.name
    call.callId ??= fragment.id
    if (call.callId !== undefined && !this.#byCallId.has(call.callId)) this.#byCallId.set(call.callId, call)
    return { ...fragment, id: call.callId }
  }

  /**
   * Returns the call of an event. Some servers send `item_id` without `output_index`. Some of them change the id, so an unknown id
   * means the latest call while that is announced and not done. An event with neither field means the latest call; undefined
   * without calls.
   */
  #findOrCreate({ output_index: index, item_id: id }: Event): StreamedCall | undefined {
    const existing = this.#find(index, id)
    if (existing) return existing
    const latest = this.#calls.at(-1)
    if (index === undefined && (id === undefined || (latest?.isAnnounced && !latest.isDone))) return latest
    return this.#create(index, id)
  }

  #find(index: number | undefined, id: string | undefined): StreamedCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index)
    return id === undefined ? undefined : this.#byItem.get(id)
  }

  /** Creates a call. If an earlier call has its index, the new one gets a generated key, and later events with the index. */
  #create(index: number | undefined, id: string | undefined): StreamedCall {
    const hasFreeIndex = index !== undefined && !this.#byIndex.has(index)
    const key = hasFreeIndex ? index : firstGeneratedKey + this.#calls.length
    const call: StreamedCall = { key, isAnnounced: false, isDone: false }
    this.#calls.push(call)
    if (index !== undefined) this.#byIndex.set(index, call)
    if (id !== undefined) this.#byItem.set(id, call)
    return call
  }
}

/** Whether an item of the whole response can be this streamed call, whose name or arguments can be unknown. */
function canBeSameCall(call: StreamedCall, item: Item): boolean {
  const args = argumentsText(item.type === 'custom_tool_call' ? item.input : item.arguments)
  return (call.name ?? item.name) === item.name && (call.args ?? args) === args
}

/** The first key that this service generates. No response has so many items. */
const firstGeneratedKey = 1_000_000

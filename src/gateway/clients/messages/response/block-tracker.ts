import type { CompletionEvent } from '#chat/events.ts'
import { JsonExtent } from '#platform/core/json-extent.ts'
import {
  addsArguments,
  findOnlyStart,
  listCallEvents,
  type ToolCall,
} from '../../../protocol/tool-calls/assembled-calls.ts'
import type { RelayedBlocks } from './writer.ts'

/** An event of an upstream: the fields that concern the order of blocks. */
export type BlockEvent = {
  type?: string
  index?: number
  content_block?: { type?: string; id?: unknown; name?: unknown; input?: unknown }
  delta?: { partial_json?: string }
}
type CallEvents = ReturnType<typeof listCallEvents>
type TrackedBlock = { index: number | undefined; type: string; call?: ToolCall; json: string; extent: JsonExtent }

/**
 * Tracks the blocks of a passed-through stream, and detects blocks and tool calls that clients would read differently from
 * this service.
 */
export class BlockTracker {
  #count = 0
  #openBlock: TrackedBlock | undefined
  /** Calls that ended without arguments. The reader turns these into an empty object at the end. */
  readonly #withoutArguments = new Set<number>()

  /** The blocks that the client has received so far. */
  get relayedBlocks(): RelayedBlocks {
    return { count: this.#count, openBlock: this.#openBlock }
  }

  /** Whether no block is open, so that content would belong to none. */
  get isBetweenBlocks(): boolean {
    return this.#openBlock === undefined
  }

  /**
   * Tracks an event of the stream.
   * @param events the events that this service read from the upstream's event.
   * @returns whether the client can get the event unchanged.
   */
  track(event: BlockEvent, events: readonly CompletionEvent[]): boolean {
    const calls = listCallEvents(events)
    switch (event.type) {
      case 'content_block_start':
        return this.#start(event, calls)
      case 'content_block_delta':
        return this.#add(event, calls)
      case 'content_block_stop':
        return this.#stop(event, calls)
      default:
        // A message must not end within a block, and content belongs in blocks.
        return (
          !(this.#openBlock?.call && event.type === 'message_delta') &&
          !(this.#openBlock && events.some(({ type }) => type === 'finish')) &&
          !events.some(isTextOrReasoning) &&
          this.#onlyFillEmptyCalls(calls)
        )
    }
  }

  #start({ index, content_block: block }: BlockEvent, calls: CallEvents): boolean {
    if (block?.type === 'tool_use') {
      const call = findOnlyStart(calls)
      if (this.#openBlock || index !== this.#count || !call) return false
      if (call.id !== block.id || call.name !== block.name || !isEmptyObject(block.input)) return false
      this.#openBlock = { index, type: 'tool_use', call, json: '', extent: new JsonExtent() }
    } else {
      if (this.#openBlock || index !== this.#count || calls.length > 0) return false
      this.#openBlock = { index, type: block?.type ?? '', json: '', extent: new JsonExtent() }
    }
    this.#count = (index ?? this.#count) + 1
    return true
  }

  #add({ index, delta }: BlockEvent, calls: CallEvents): boolean {
    const block = this.#openBlock
    if (!block?.call) return block !== undefined && index === block.index && calls.length === 0
    const json = delta?.partial_json
    if (index !== block.index || json === undefined || !addsArguments(calls, block.call.index, json)) return false
    block.json += json
    block.extent.push(json)
    return true
  }

  #stop({ index }: BlockEvent, calls: CallEvents): boolean {
    const block = this.#openBlock
    if (!block || index !== block.index || calls.length > 0) return false
    if (!block.call) {
      this.#openBlock = undefined
      return true
    }
    if (block.json === '') this.#withoutArguments.add(block.call.index)
    else if (!block.extent.isComplete) return false
    this.#openBlock = undefined
    return true
  }

  /** Whether the events only add an empty object to calls that ended without arguments. */
  #onlyFillEmptyCalls(calls: CallEvents): boolean {
    return calls.every(
      (event) => event.type === 'tool_arguments' && event.text === '{}' && this.#withoutArguments.has(event.index),
    )
  }
}

export const isTextOrReasoning = ({ type }: CompletionEvent) => type === 'text' || type === 'reasoning'

function isEmptyObject(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length === 0
}

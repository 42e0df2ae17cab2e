import type { CompletionEvent } from '#chat/events.ts'
import { isObject } from '#platform/core/is-object.ts'
import { parseExactly } from '#platform/json/json-text/exact-numbers.ts'
import { toLatin1Json } from '#platform/json/json-text/json-fields.ts'
import type { ResponseHead } from '../../../protocol/client-protocol.ts'
import { parseEventObject } from '../../../protocol/passthrough-rewriter.ts'
import { assembleCalls } from '../../../protocol/tool-calls/assembled-calls.ts'
import { parseJsonText } from '../../../protocol/tool-calls/tool-arguments.ts'
import { type BlockEvent, BlockTracker, isTextOrReasoning } from './block-tracker.ts'
import { MessageWriter } from './writer.ts'

/**
 * Repairs the tool calls of a passed-through stream. Rewrites content from the first event on that violates the
 * protocol.
 */
export class StreamCallRepair {
  readonly #head: ResponseHead
  readonly #tracker = new BlockTracker()
  #writer: MessageWriter | undefined

  constructor(head: ResponseHead) {
    this.#head = head
  }

  /**
   * @param event the upstream's event as the client would get it.
   * @param events the events that this service read from the upstream's event.
   * @returns the bytes for the client.
   */
  repair(event: Buffer, events: readonly CompletionEvent[]): Buffer {
    const hasContentOutsideBlocks = this.#tracker.isBetweenBlocks && events.some(isTextOrReasoning)
    if (!this.#writer && !hasContentOutsideBlocks && !isBlockEvent(event, events)) return event
    const parsed: BlockEvent = parseEventObject(event)
    if (!this.#writer && this.#tracker.track(parsed, events)) return event
    this.#writer ??= new MessageWriter(this.#head, this.#tracker.relayedBlocks)
    let text = events.map(this.#writer.event).join('')
    if (parsed.type?.startsWith('content_block')) return Buffer.from(text)
    if (parsed.type === 'message_delta' || parsed.type === 'message_stop') text += this.#writer.closeContent()
    return text === '' ? event : Buffer.concat([Buffer.from(text), event])
  }

  /** Writes the events that remain at the end of the stream. */
  writeRemaining(events: readonly CompletionEvent[]): string {
    if (!this.#writer) return ''
    return events.map(this.#writer.event).join('') + this.#writer.closeContent()
  }
}

/**
 * Whether an event starts or stops a block, adds to a call, or can end the message within a call. A cheap filter before
 * parsing, for the many events with text.
 */
function isBlockEvent(event: Buffer, events: readonly CompletionEvent[]): boolean {
  if (events.some(({ type }) => type === 'tool_call' || type === 'tool_arguments' || type === 'finish')) return true
  // Finds both `content_block_start` and `content_block_stop`.
  return event.includes('content_block_st') || event.includes('input_json_delta')
}

type Block = { type?: string; id?: unknown; name?: unknown; input?: unknown }

/**
 * Corrects the calls of a whole response, given as a latin1 string of its bytes.
 * @param events the events that this service read from the response.
 */
export function correctCalls(response: string, events: readonly CompletionEvent[]): string {
  const calls = assembleCalls(events)
  if (calls.length === 0) return response
  const message = parseExactly(Buffer.from(response, 'latin1').toString('utf8')) as { content: Block[] }
  const toolUses = message.content.filter(({ type }) => type === 'tool_use')
  let isChanged = false
  for (const [at, { id, name, args }] of calls.entries()) {
    const block = toolUses[at]
    if (!block || (block.id === id && block.name === name && isObject(block.input))) continue
    // The arguments can be truncated with the response. An empty object is the input then, as in a translated response.
    Object.assign(block, { id, name, input: parseJsonText(args) ?? {} })
    isChanged = true
  }
  return isChanged ? toLatin1Json(message) : response
}

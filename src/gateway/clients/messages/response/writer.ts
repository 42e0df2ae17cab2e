import type { CompletionEvent } from '#chat/events.ts'
import type { CostNote, ResponseHead, StreamWriter } from '../../../protocol/client-protocol.ts'
import { toErrorObject } from '../errors.ts'
import { formatEvent } from './block-writer.ts'
import { ContentWriter } from './content-writer.ts'
import { type StopReason, toMessageObject, toMessageUsage, toStopFields } from './message.ts'
import { OpenCall } from './open-call.ts'

type Finish = Extract<CompletionEvent, { type: 'finish' }>['reason']

/** A call or an event that is written when the open call is complete. */
type PendingWrite = OpenCall | CompletionEvent

const stopReasons: Record<Finish, StopReason> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/** An unclosed block of a passed-through stream. For a call, with the part of its input that the client has. */
type OpenBlock = { type: string; call?: ToolCall; json: string }
export type RelayedBlocks = { count: number; openBlock: OpenBlock | undefined }
type ToolCall = Extract<CompletionEvent, { type: 'tool_call' }>

/**
 * Writes one message as a stream for Anthropic's clients, and builds the whole message. Blocks are sequential, but some upstreams
 * interleave calls with other calls and text. Content after an incomplete call waits until the call is complete.
 */
export class MessageWriter implements StreamWriter {
  readonly #head: ResponseHead
  readonly #content: ContentWriter
  readonly #calls = new Map<number, OpenCall>()
  #pendingWrites: PendingWrite[] = []
  /** The number of `#pendingWrites` that were written. */
  #writtenCount = 0
  #finish: Finish = 'stop'
  #usage: Extract<CompletionEvent, { type: 'usage' }> | undefined

  /** @param relayed the blocks that the client already has of a stream that this writer continues. */
  constructor(head: ResponseHead, relayed?: RelayedBlocks) {
    this.#head = head
    this.#content = new ContentWriter(head, relayed?.count)
    if (relayed?.openBlock) this.#continueBlock(relayed.openBlock)
  }

  #continueBlock({ type, call, json }: OpenBlock): void {
    if (!call) return this.#content.continueBlock(type)
    const openCall = new OpenCall(call)
    openCall.add(json)
    this.#calls.set(call.index, openCall)
    this.#content.continueCall(openCall)
  }

  /** The whole message. */
  message(cost: CostNote | undefined): object {
    return toMessageObject(
      this.#head,
      this.#content.blocks,
      this.#stopReason,
      toMessageUsage(this.#usage?.tokens, cost, this.#usage?.extras),
    )
  }

  readonly event = (event: CompletionEvent): string => {
    if (!this.#isCallPending || !mustWaitForCall(event)) return this.#writeEvent(event)
    this.#pendingWrites.push(event)
    return ''
  }

  readonly end = (cost: CostNote | undefined): string => {
    const closingEvents = this.closeContent()
    const delta = { ...toStopFields(this.#stopReason), container: null }
    const usage = toMessageUsage(this.#usage?.tokens, cost, this.#usage?.extras)
    return closingEvents + formatEvent('message_delta', { delta, usage }) + formatEvent('message_stop', {})
  }

  /** Writes the pending calls and events, and closes the last block. */
  closeContent(): string {
    return this.#content.startMessage() + this.#writePending('all') + this.#content.end()
  }

  readonly fail = (error: { code: number; message: string; metadata?: Record<string, unknown> }): string =>
    formatEvent('error', { error: toErrorObject(error) })

  /** The stop reason. Some upstreams send `stop` for a response with calls. */
  get #stopReason(): StopReason {
    return this.#finish === 'stop' && this.#calls.size > 0 ? 'tool_use' : stopReasons[this.#finish]
  }

  #writeEvent(event: CompletionEvent): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
      case 'reasoning':
      case 'citation':
      case 'image':
        return this.#content.write(event)
      case 'tool_call':
        return this.#startCall(event)
      case 'tool_arguments':
        return this.#writeArguments(event.index, event.text)
      case 'finish':
        this.#finish = event.reason
        this.#content.recordFinish(event.reason)
        return ''
      case 'usage':
        this.#usage = event
        return ''
      case 'started':
      // This protocol has no speech.
      case 'audio':
      case 'billed_piece':
      case 'items':
      case 'error':
        return ''
      default:
        return event satisfies never
    }
  }

  #startCall(event: ToolCall): string {
    const call = new OpenCall(event)
    this.#calls.set(event.index, call)
    // The text of a custom call becomes one JSON string, so it is written when it is complete.
    if (!this.#isCallPending && !call.isCustom) return this.#content.startCall(call)
    this.#pendingWrites.push(call)
    return ''
  }

  #writeArguments(index: number, text: string): string {
    const call = this.#calls.get(index)
    if (!call) return ''
    call.add(text)
    return this.#content.openCall === call ? this.#content.writeInput(text) + this.#writePending('complete') : ''
  }

  get #isOpenCallIncomplete(): boolean {
    return this.#content.openCall?.isComplete === false
  }

  /** Whether the next call or event must wait for the open call or for others. */
  get #isCallPending(): boolean {
    return this.#pendingWrites.length > 0 || this.#isOpenCallIncomplete
  }

  /** Writes pending calls and events, at the end of the response also incomplete calls. */
  #writePending(scope: 'complete' | 'all'): string {
    let text = ''
    while (this.#writtenCount < this.#pendingWrites.length) {
      const pending = this.#pendingWrites[this.#writtenCount]!
      const isCustomCall = pending instanceof OpenCall && pending.isCustom
      if (scope !== 'all' && (this.#isOpenCallIncomplete || isCustomCall)) return text
      text += pending instanceof OpenCall ? this.#content.startCall(pending) : this.#writeEvent(pending)
      this.#writtenCount++
    }
    this.#pendingWrites = []
    this.#writtenCount = 0
    return text
  }
}

/** Whether an event cannot be written before the open call is complete. Calls have their own order. */
function mustWaitForCall({ type }: CompletionEvent): boolean {
  return type !== 'tool_call' && type !== 'tool_arguments' && type !== 'finish' && type !== 'usage'
}

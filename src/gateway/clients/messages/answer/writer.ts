import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import { isThoughtEnd, type Thought, type ThoughtMetadata } from '#chat/thoughts.ts'
import type { AnswerHead, CostNote, StreamWriter } from '../../../protocol/client-protocol.ts'
import { toErrorObject } from '../errors.ts'
import { toRedactedData, toSignature } from '../thoughts.ts'
import { BlockWriter, formatEvent, unknownBlock } from './block-writer.ts'
import { CitationWriter } from './citation-writer.ts'
import {
  type AnswerBlock,
  messageObject,
  messageUsage,
  type StopReason,
  type TextBlock,
  type ThinkingBlock,
  toCitation,
} from './message.ts'
import { OpenCall } from './open-call.ts'

type Finish = Extract<AnswerEvent, { type: 'finish' }>['reason']
/** A call or an event that is written when the open call is complete. */
type PendingWrite = OpenCall | AnswerEvent

const stopReasons: Record<Finish, StopReason> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/** An unclosed block of a passed-through stream. For a call, with the part of its input that the client has. */
type OpenBlock = { type: string; call?: ToolCall; json: string }
export type RelayedBlocks = { count: number; open: OpenBlock | undefined }
type ToolCall = Extract<AnswerEvent, { type: 'tool_call' }>

const emptyBlocks: Partial<Record<string, () => AnswerBlock>> = {
  text: () => ({ type: 'text', text: '' }),
  thinking: () => ({ type: 'thinking', thinking: '', signature: '' }),
}

/**
 * Writes one message as a stream for Anthropic's clients: one block after the other, each opened, extended and closed.
 * Also builds the whole message.
 */
export class MessageWriter implements StreamWriter {
  readonly #head: AnswerHead
  readonly #blocks: BlockWriter
  readonly #citations: CitationWriter
  readonly #calls = new Map<number, OpenCall>()
  /** Calls and events that wait for an incomplete call. Some upstreams interleave them. */
  #pendingWrites: PendingWrite[] = []
  /** The number of `#pendingWrites` that were written. */
  #writtenCount = 0
  /** The call whose block is open. */
  #openCall: OpenCall | undefined
  /** The metadata that the signature of the open reasoning block contains. */
  #thoughtMetadata: ThoughtMetadata | undefined
  #finish: Finish = 'stop'
  #tokens: TokenCounts | undefined

  /** @param relayed the blocks that the client already has of a stream that this writer continues. */
  constructor(head: AnswerHead, relayed?: RelayedBlocks) {
    this.#head = head
    this.#blocks = new BlockWriter(head, relayed?.count)
    this.#citations = new CitationWriter(this.#blocks)
    if (relayed?.open) this.#adopt(relayed.open)
  }

  /** Continues the open block of a passed-through stream. */
  #adopt({ type, call, json }: OpenBlock): void {
    if (!call) {
      this.#blocks.open = emptyBlocks[type] ? emptyBlocks[type]() : unknownBlock
      return
    }
    this.#openCall = new OpenCall(call)
    this.#openCall.add(json)
    this.#blocks.open = this.#openCall.block
    this.#calls.set(call.index, this.#openCall)
  }

  /** The whole message. */
  message(cost: CostNote | undefined): object {
    return messageObject(this.#head, this.#blocks.content, this.#stopReason, messageUsage(this.#tokens, cost))
  }

  readonly event = (event: AnswerEvent): string => {
    if (!this.#isCallPending || !mustWaitForCall(event)) return this.#writeEvent(event)
    this.#pendingWrites.push(event)
    return ''
  }

  readonly end = (cost: CostNote | undefined): string => {
    const closingEvents = this.closeContent()
    const delta = { stop_reason: this.#stopReason, stop_sequence: null, stop_details: null, container: null }
    const usage = messageUsage(this.#tokens, cost)
    return closingEvents + formatEvent('message_delta', { delta, usage }) + formatEvent('message_stop', {})
  }

  /** Writes the pending calls and events, and closes the last block. */
  closeContent(): string {
    return this.#blocks.startMessage() + this.#writePending('all') + this.#closeBlock() + this.#citations.attachLate()
  }

  readonly fail = (error: { code: number; message: string; metadata?: Record<string, unknown> }): string =>
    formatEvent('error', { error: toErrorObject(error) })

  /** The stop reason. Some upstreams send `stop` for an answer with calls. */
  get #stopReason(): StopReason {
    return this.#finish === 'stop' && this.#calls.size > 0 ? 'tool_use' : stopReasons[this.#finish]
  }

  #writeEvent(event: AnswerEvent): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return event.text ? this.#writeText(event.text) : ''
      case 'reasoning':
        return this.#writeThinking(event)
      case 'tool_call':
        return this.#startCall(event)
      case 'tool_arguments':
        return this.#writeArguments(event.index, event.text)
      case 'citation':
        return this.#citations.write(toCitation(event))
      case 'image':
        return this.#writeText(`\n![image](${event.url})\n`)
      case 'finish':
        this.#finish = event.reason
        return ''
      case 'usage':
        this.#tokens = event.tokens
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

  #writeText(text: string): string {
    const openingEvent = this.#blocks.open?.type === 'text' ? '' : this.#startBlock({ type: 'text', text: '' })
    const block = this.#blocks.open as TextBlock
    block.text += text
    return openingEvent + this.#blocks.writeDelta({ type: 'text_delta', text }) + this.#citations.attachPending(block)
  }

  /**
   * Writes reasoning: encrypted reasoning as a redacted block, readable reasoning as a thinking block. The client sends
   * the signature back with the block. It identifies the origin of reasoning that its provider did not sign, too.
   */
  #writeThinking(piece: Thought): string {
    const isEnd = isThoughtEnd(piece)
    if (!piece.text && !isEnd) return ''
    const isReadable = piece.text !== '' || this.#blocks.open?.type === 'thinking' || piece.encrypted === undefined
    if (!isReadable) {
      const data = toRedactedData(piece)
      return data === undefined ? '' : this.#startBlock({ type: 'redacted_thinking', data }) + this.#closeBlock()
    }
    const openingEvent =
      this.#blocks.open?.type === 'thinking' ? '' : this.#startBlock({ type: 'thinking', thinking: '', signature: '' })
    const block = this.#blocks.open as ThinkingBlock
    block.thinking += piece.text
    if (piece.field !== undefined || piece.via === 'chat') this.#thoughtMetadata = { ...piece, by: this.#head.model }
    const text = piece.text ? this.#blocks.writeDelta({ type: 'thinking_delta', thinking: piece.text }) : ''
    if (!isEnd) return openingEvent + text
    this.#thoughtMetadata = piece
    return openingEvent + text + this.#closeBlock()
  }

  #sign(block: ThinkingBlock): string {
    const signature = this.#thoughtMetadata && toSignature(this.#thoughtMetadata)
    this.#thoughtMetadata = undefined
    if (!signature) return ''
    block.signature = signature
    return this.#blocks.writeDelta({ type: 'signature_delta', signature })
  }

  #startCall(event: ToolCall): string {
    const call = new OpenCall(event)
    this.#calls.set(event.index, call)
    // The text of a custom call becomes one JSON string, so it is written when it is complete.
    if (!this.#isCallPending && !call.isCustom) return this.#startBlock(call.block, call)
    this.#pendingWrites.push(call)
    return ''
  }

  #writeArguments(index: number, partial_json: string): string {
    const call = this.#calls.get(index)
    if (!call) return ''
    call.add(partial_json)
    if (this.#openCall !== call) return ''
    return this.#blocks.writeDelta({ type: 'input_json_delta', partial_json }) + this.#writePending('complete')
  }

  /** Whether the next call or event must wait for the open call or for others. */
  get #isCallPending(): boolean {
    return this.#pendingWrites.length > 0 || this.#openCall?.isComplete === false
  }

  /** Writes pending calls and events, at the end of the answer also incomplete calls. */
  #writePending(scope: 'complete' | 'all'): string {
    let text = ''
    while (this.#writtenCount < this.#pendingWrites.length) {
      const pending = this.#pendingWrites[this.#writtenCount]!
      const isCall = pending instanceof OpenCall
      if (scope !== 'all' && (this.#openCall?.isComplete === false || (isCall && pending.isCustom))) return text
      text += isCall ? this.#writeStoredCall(pending) : this.#writeEvent(pending)
      this.#writtenCount++
    }
    this.#pendingWrites = []
    this.#writtenCount = 0
    return text
  }

  #writeStoredCall(call: OpenCall): string {
    const startEvent = this.#startBlock(call.block, call)
    return call.json
      ? startEvent + this.#blocks.writeDelta({ type: 'input_json_delta', partial_json: call.json })
      : startEvent
  }

  #startBlock(block: AnswerBlock, call?: OpenCall): string {
    const before = this.#blocks.startMessage() + this.#closeBlock()
    this.#openCall = call
    return before + this.#blocks.start(block)
  }

  #closeBlock(): string {
    const block = this.#blocks.open
    if (!block) return ''
    this.#openCall?.close(this.#finish === 'length' || this.#finish === 'content_filter')
    const signatureEvent = block.type === 'thinking' ? this.#sign(block) : ''
    this.#openCall = undefined
    return signatureEvent + this.#blocks.close()
  }
}

/** Whether an event cannot be written before the open call is complete. Calls have their own order. */
function mustWaitForCall({ type }: AnswerEvent): boolean {
  return type !== 'tool_call' && type !== 'tool_arguments' && type !== 'finish' && type !== 'usage'
}

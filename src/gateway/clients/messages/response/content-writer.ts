import type { CompletionEvent } from '#chat/events.ts'
import { isThoughtEnd, type Thought, type ThoughtMetadata } from '#chat/thoughts.ts'
import type { ResponseHead } from '../../../protocol/client-protocol.ts'
import { toRedactedData, toSignature } from '../reasoning-blocks.ts'
import { BlockWriter, placeholderBlock } from './block-writer.ts'
import { CitationWriter } from './citation-writer.ts'
import { type ResponseBlock, type TextBlock, type ThinkingBlock, toCitation } from './message.ts'
import type { OpenCall } from './open-call.ts'

const emptyBlocks: Partial<Record<string, () => ResponseBlock>> = {
  text: () => ({ type: 'text', text: '' }),
  thinking: () => ({ type: 'thinking', thinking: '', signature: '' }),
}

/** The events that are content other than calls. */
type ContentEvent = Extract<CompletionEvent, { type: 'text' | 'refusal' | 'reasoning' | 'citation' | 'image' }>

/** Writes the content of one message: one block after the other, each opened, extended and closed. */
export class ContentWriter {
  readonly #head: ResponseHead
  readonly #blocks: BlockWriter
  readonly #citations: CitationWriter
  /** The call whose block is open. */
  #openCall: OpenCall | undefined
  /** The metadata that the signature of the open reasoning block contains. */
  #thoughtMetadata: ThoughtMetadata | undefined
  /** Whether the response was truncated, so that its last call may be truncated, too. */
  #isTruncated = false

  /** @param passedCount the number of blocks that the client already has; undefined if it has no part of the message. */
  constructor(head: ResponseHead, passedCount: number | undefined) {
    this.#head = head
    this.#blocks = new BlockWriter(head, passedCount)
    this.#citations = new CitationWriter(this.#blocks)
  }

  /** The blocks so far. */
  get blocks(): ResponseBlock[] {
    return this.#blocks.content
  }

  /** The call whose block is open. */
  get openCall(): OpenCall | undefined {
    return this.#openCall
  }

  /** Continues an open block of a passed-through stream. */
  continueBlock(type: string): void {
    this.#blocks.continueBlock(emptyBlocks[type]?.() ?? placeholderBlock)
  }

  /** Continues an open call of a passed-through stream. */
  continueCall(call: OpenCall): void {
    this.#openCall = call
    this.#blocks.continueBlock(call.block)
  }

  recordFinish(reason: Extract<CompletionEvent, { type: 'finish' }>['reason']): void {
    this.#isTruncated = reason === 'length' || reason === 'content_filter'
  }

  write(event: ContentEvent): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return event.text ? this.#writeText(event.text) : ''
      case 'reasoning':
        return this.#writeThinking(event)
      case 'citation':
        return this.#citations.write(toCitation(event))
      case 'image':
        return this.#writeText(`\n![image](${event.url})\n`)
      default:
        return event satisfies never
    }
  }

  /** Starts the block of a call, with the part of its input that has arrived. */
  startCall(call: OpenCall): string {
    const startEvents = this.#startBlock(call.block)
    this.#openCall = call
    return call.json ? startEvents + this.writeInput(call.json) : startEvents
  }

  /** Extends the input of the open call. */
  writeInput(partial_json: string): string {
    return this.#blocks.writeDelta({ type: 'input_json_delta', partial_json })
  }

  startMessage(): string {
    return this.#blocks.startMessage()
  }

  /** Closes the last block, and adds the citations that arrived after their text. */
  end(): string {
    return this.#closeBlock() + this.#citations.attachLate()
  }

  #writeText(text: string): string {
    const { block, startEvents } = this.#openText()
    block.text += text
    return startEvents + this.#blocks.writeDelta({ type: 'text_delta', text }) + this.#citations.attachPending(block)
  }

  /** The open text block, which is started if another block is open. */
  #openText(): { block: TextBlock; startEvents: string } {
    const { openBlock } = this.#blocks
    if (openBlock?.type === 'text') return { block: openBlock, startEvents: '' }
    const block: TextBlock = { type: 'text', text: '' }
    return { block, startEvents: this.#startBlock(block) }
  }

  /** The open reasoning block, which is started if another block is open. */
  #openThinking(): { block: ThinkingBlock; startEvents: string } {
    const { openBlock } = this.#blocks
    if (openBlock?.type === 'thinking') return { block: openBlock, startEvents: '' }
    const block: ThinkingBlock = { type: 'thinking', thinking: '', signature: '' }
    return { block, startEvents: this.#startBlock(block) }
  }

  /**
   * Writes encrypted reasoning as a redacted block, and readable reasoning as a thinking block. The client returns the signature
   * with the block. The signature also identifies the origin of reasoning that its provider did not sign.
   */
  #writeThinking(piece: Thought): string {
    const isEnd = isThoughtEnd(piece)
    if (!piece.text && !isEnd) return ''
    const isReadable = piece.text !== '' || this.#blocks.openBlock?.type === 'thinking' || piece.encrypted === undefined
    if (!isReadable) return this.#writeRedacted(piece)
    const { block, startEvents } = this.#openThinking()
    block.thinking += piece.text
    if (piece.field !== undefined || piece.via === 'chat') this.#thoughtMetadata = { ...piece, by: this.#head.model }
    const text = piece.text ? this.#blocks.writeDelta({ type: 'thinking_delta', thinking: piece.text }) : ''
    if (!isEnd) return startEvents + text
    this.#thoughtMetadata = piece
    return startEvents + text + this.#closeBlock()
  }

  #writeRedacted(piece: Thought): string {
    const data = toRedactedData(piece)
    return data === undefined ? '' : this.#startBlock({ type: 'redacted_thinking', data }) + this.#closeBlock()
  }

  #sign(block: ThinkingBlock): string {
    const signature = this.#thoughtMetadata && toSignature(this.#thoughtMetadata)
    this.#thoughtMetadata = undefined
    if (!signature) return ''
    block.signature = signature
    return this.#blocks.writeDelta({ type: 'signature_delta', signature })
  }

  #startBlock(block: ResponseBlock): string {
    return this.#blocks.startMessage() + this.#closeBlock() + this.#blocks.start(block)
  }

  #closeBlock(): string {
    const block = this.#blocks.openBlock
    if (!block) return ''
    this.#openCall?.close(this.#isTruncated)
    this.#openCall = undefined
    const signatureEvent = block.type === 'thinking' ? this.#sign(block) : ''
    return signatureEvent + this.#blocks.close()
  }
}

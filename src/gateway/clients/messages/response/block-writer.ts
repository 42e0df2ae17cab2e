import type { ResponseHead } from '../../../protocol/client-protocol.ts'
import { type ResponseBlock, toMessageObject, toMessageUsage } from './message.ts'

/** A placeholder for a passed-through block. Only the position matters, because nothing is appended to the block. */
export const placeholderBlock: ResponseBlock = { type: 'redacted_thinking', data: '' }

/** Writes the content blocks of one message as events, one block after the other. */
export class BlockWriter {
  readonly content: ResponseBlock[] = []
  #openBlock: ResponseBlock | undefined
  readonly #head: ResponseHead
  #hasStarted: boolean

  /** @param passedCount the number of blocks that the client already has; undefined if it has no part of the message. */
  constructor(head: ResponseHead, passedCount: number | undefined) {
    this.#head = head
    this.#hasStarted = passedCount !== undefined
    for (let at = 0; at < (passedCount ?? 0); at++) this.content.push(placeholderBlock)
  }

  /** The open block, to which deltas can be written. */
  get openBlock(): ResponseBlock | undefined {
    return this.#openBlock
  }

  /** Continues a block whose start the client already has. */
  continueBlock(block: ResponseBlock): void {
    this.#openBlock = block
  }

  startMessage(): string {
    if (this.#hasStarted) return ''
    this.#hasStarted = true
    return formatEvent('message_start', { message: toMessageObject(this.#head, [], null, toMessageUsage(undefined)) })
  }

  /** Opens a block, after the previous one was closed. */
  start(block: ResponseBlock): string {
    this.#openBlock = block
    this.content.push(block)
    return formatEvent('content_block_start', { index: this.content.length - 1, content_block: block })
  }

  /** Extends a block, by default the last one. */
  writeDelta(delta: object, index = this.content.length - 1): string {
    return formatEvent('content_block_delta', { index, delta })
  }

  /** Closes the open block. */
  close(): string {
    this.#openBlock = undefined
    return formatEvent('content_block_stop', { index: this.content.length - 1 })
  }
}

export function formatEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

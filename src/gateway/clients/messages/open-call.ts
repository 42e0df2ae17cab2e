import type { AnswerEvent } from '#chat/events.ts'
import { JsonExtent } from '#platform/core/json-extent.ts'
import { parsedText } from '../../protocol/tool-calls/tool-arguments.ts'
import type { CallBlock } from './message.ts'

/** A call while it is written. */
export class OpenCall {
  readonly block: CallBlock
  readonly isCustom: boolean
  #text = ''
  readonly #extent = new JsonExtent()

  constructor({ id, name, custom }: Extract<AnswerEvent, { type: 'tool_call' }>) {
    this.block = { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } }
    this.isCustom = custom === true
  }

  /** Where the free text of a custom one ends shows at the end of the answer only. */
  get isWhole(): boolean {
    return !this.isCustom && this.#extent.isComplete
  }

  /** Its input so far. The free text of a custom one is a member of an object, as everywhere without such tools. */
  get json(): string {
    return this.isCustom ? JSON.stringify({ input: this.#text }) : this.#text
  }

  add(text: string): void {
    this.#text += text
    if (!this.isCustom) this.#extent.push(text)
  }

  /**
   * Sets the block's input. @param isTruncated whether the answer was cut, so that its last call may be, too.
   * @throws Error for arguments that are not an object: with none at all, the client would run the tool wrongly.
   */
  close(isTruncated: boolean): void {
    const value = parsedText(this.json || '{}')
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) this.block.input = value
    else if (!isTruncated) throw new Error(`the arguments of its call of "${this.block.name}" are not a JSON object`)
  }
}

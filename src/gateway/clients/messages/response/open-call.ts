import type { CompletionEvent } from '#chat/events.ts'
import { isObject } from '#platform/core/is-object.ts'
import { JsonExtent } from '#platform/core/json-extent.ts'
import { repairJsonSyntax } from '#platform/json/json-text/repair-json-syntax.ts'
import { parseJsonText } from '../../../protocol/tool-calls/tool-arguments.ts'
import type { CallBlock } from './message.ts'

/** A tool call that is being written. */
export class OpenCall {
  readonly block: CallBlock
  readonly isCustom: boolean
  #text = ''
  readonly #extent = new JsonExtent()

  constructor({ id, name, custom }: Extract<CompletionEvent, { type: 'tool_call' }>) {
    this.block = { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } }
    this.isCustom = custom === true
  }

  /** Whether the arguments are complete. Free text of a custom call is complete only at the end of the response. */
  get isComplete(): boolean {
    return !this.isCustom && this.#extent.isComplete
  }

  /** The input so far, as JSON. The free text of a custom call becomes the field `input` of an object. */
  get json(): string {
    return this.isCustom ? JSON.stringify({ input: this.#text }) : this.#text
  }

  add(text: string): void {
    this.#text += text
    if (!this.isCustom) this.#extent.push(text)
  }

  /**
   * Sets the input of the block.
   * @param isTruncated whether the response was truncated, so that its last call may be truncated, too.
   * @throws Error if the arguments are not an object, because without arguments the client would run the tool wrongly.
   */
  close(isTruncated: boolean): void {
    const value = parseJsonText(this.json || '{}') ?? parseJsonText(repairJsonSyntax(this.json) ?? '')
    if (isObject(value)) this.block.input = value
    else if (!isTruncated) throw new Error(`the arguments of the call of "${this.block.name}" are not a JSON object`)
  }
}

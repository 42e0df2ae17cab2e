import type { AnswerEvent } from '#chat/events.ts'
import { CallArguments } from './call-arguments.ts'
import type { CallSignature, ToolCallPiece } from './piece.ts'

/** One tool call while its pieces arrive. It is open once its id and name were sent to the client. */
export class PartialCall {
  /** As in `ToolCallPiece`. */
  readonly upstreamIndex: number | undefined
  id: string | undefined
  name: string | undefined
  readonly args = new CallArguments()
  /** The number of the latest upstream event with a piece of this call. */
  latestEventNumber = 0
  /** The upstream's id of the answer. If the upstream sends no id of the call, one is generated from it. */
  answerId: string | undefined
  #namespace: string | undefined
  /** The thought signature of the call (Gemini), until it was sent to the client. */
  #unsentSignature: CallSignature | undefined
  /** The latest thought signature. Some upstreams repeat it in each piece. */
  #latestSignature: string | undefined
  #isCustom = false
  /** The next piece can continue the name. */
  #isNamePartial = false
  /** Whether the upstream reported that the call is complete. */
  #isClosed = false
  /** The index and the id that were sent to the client. Undefined until the call is open. */
  #clientIndex: number | undefined
  #clientId: string | undefined

  constructor(upstreamIndex: number | undefined) {
    this.upstreamIndex = upstreamIndex
  }

  get isOpen(): boolean {
    return this.#clientIndex !== undefined
  }

  /** Whether the call can be sent to the client: everything that precedes its arguments is known. */
  get canOpen(): boolean {
    if (this.#isClosed) return this.name !== undefined
    return this.name !== undefined && this.id !== undefined && (!this.#isNamePartial || this.args.hasText)
  }

  /** Whether arguments can follow the finish reason: their end, or all of them. */
  get canContinue(): boolean {
    return this.args.isUnclosed || (!this.#isClosed && this.args.isMissing)
  }

  /** Whether the call has neither an id nor arguments. */
  get isEmpty(): boolean {
    return this.args.isMissing && this.id === undefined
  }

  /** Makes the name final, because another call started. */
  completeName(): void {
    this.#isNamePartial = false
  }

  /**
   * @returns as `CallArguments.add` does.
   * @throws Error for a name that continues after it was sent to the client.
   */
  add(piece: ToolCallPiece, isNamePartial: boolean): string {
    const { id, name, namespace, custom, isClosed, answerId, signature } = piece
    this.id ||= id || undefined
    if (name) {
      this.#addName(name, isClosed)
      this.#isNamePartial = isNamePartial
    }
    this.#namespace ??= namespace
    this.answerId ||= answerId
    this.#addSignature(signature)
    if (custom) this.#isCustom = true
    const rest = this.args.add(piece, this.name)
    if (!isClosed) return rest
    this.#isClosed = true
    this.args.completeFromCopy(this.name)
    return rest
  }

  /**
   * Opens the call. @returns the events for the client: the thought signature, and the call without its arguments.
   * @param generatedId the id to use if the upstream sent none.
   */
  open(index: number, generatedId: string): AnswerEvent[] {
    this.#clientIndex = index
    this.#clientId = this.id ?? generatedId
    const start: AnswerEvent = {
      type: 'tool_call',
      index,
      id: this.#clientId,
      name: this.name!,
      ...(this.#isCustom && { custom: true as const }),
      ...(this.#namespace && { namespace: this.#namespace }),
    }
    return [...this.takeSignature(), start]
  }

  /** Returns the thought signature if it was not sent to the client, once the call is open. */
  takeSignature(): AnswerEvent[] {
    const signature = this.#unsentSignature
    if (!signature || this.#clientId === undefined) return []
    this.#unsentSignature = undefined
    return [{ type: 'reasoning', text: '', ...signature, id: this.#clientId }]
  }

  /** Returns unsent arguments, as `CallArguments.takeSendable` does. */
  takeSendableArguments(): AnswerEvent[] {
    return this.#argumentEvents(this.args.takeSendable(this.#isClosed))
  }

  /** Returns all unsent arguments, after the last piece. @throws Error as `CallArguments.takeRest` does. */
  takeRestOfArguments(): AnswerEvent[] {
    return this.#argumentEvents(this.args.takeRest(this.name))
  }

  #argumentEvents(text: string): AnswerEvent[] {
    return text === '' ? [] : [{ type: 'tool_arguments', index: this.#clientIndex!, text }]
  }

  #addSignature(signature: CallSignature | undefined): void {
    if (!signature || signature.encrypted === this.#latestSignature) return
    this.#latestSignature = signature.encrypted
    this.#unsentSignature = signature
  }

  /** Adds the name, or the next part of it. Some upstreams repeat the earlier parts in each part. */
  #addName(name: string, isClosed: true | undefined): void {
    if (this.name === undefined) this.name = name
    if (name === this.name || this.args.hasText || isClosed) return
    if (this.isOpen) throw new Error(`the name of the call of "${this.name}" continues after it was sent to the client`)
    this.name = name.startsWith(this.name) ? name : this.name + name
  }
}

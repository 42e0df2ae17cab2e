import type { AnswerEvent } from '#chat/events.ts'
import { CallArguments } from './call-arguments.ts'
import type { CallSignature, ToolCallPiece } from './piece.ts'

/** One tool call while its pieces arrive. It is open once clients have its id and name. */
export class PartialCall {
  /** The upstream's number of the call. */
  readonly key: number | undefined
  id: string | undefined
  name: string | undefined
  readonly args = new CallArguments()
  /** The number of the latest upstream event with a piece of it. */
  latestEvent = 0
  /** The upstream's id of the answer, from which the id of a call without one is generated. */
  answerId: string | undefined
  #namespace: string | undefined
  /** The signature that clients do not have. */
  #unsentSignature: CallSignature | undefined
  /** The latest signature. Some upstreams repeat it in each piece. */
  #latestSignature: string | undefined
  #isCustom = false
  #isNamePartial = false
  /** Whether the upstream reported that it is complete. */
  #isClosed = false
  /** The index and the id that clients have, once it is open. */
  #index: number | undefined
  #clientId: string | undefined

  constructor(key: number | undefined) {
    this.key = key
  }

  get isOpen(): boolean {
    return this.#index !== undefined
  }

  /** Whether it is ready for clients: everything that precedes its arguments is known. */
  get canOpen(): boolean {
    if (this.#isClosed) return this.name !== undefined
    return this.name !== undefined && this.id !== undefined && !(this.#isNamePartial && this.args.isEmpty)
  }

  /** Whether arguments can follow the end of the answer: the rest of them, or all. */
  get canContinue(): boolean {
    return this.args.isCut || (!this.#isClosed && this.args.isBlank)
  }

  /** Whether it has neither an id nor arguments. */
  get isBlank(): boolean {
    return this.args.isBlank && this.id === undefined
  }

  /** Makes its name final, because another call started. */
  completeName(): void {
    this.#isNamePartial = false
  }

  /**
   * @returns the arguments of another call that follow those of this one; empty if there are none.
   * @throws Error for a name that continues after it was sent.
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
    this.args.complete(this.name)
    return rest
  }

  /**
   * The start of the call for clients. Its signature precedes it, as reasoning precedes its result.
   * @param id the id to use if its upstream sent none.
   */
  open(index: number, id: string): AnswerEvent[] {
    this.#index = index
    this.#clientId = this.id ?? id
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

  /** Returns the signature that clients do not have yet, once the call is open. */
  takeSignature(): AnswerEvent[] {
    const signature = this.#unsentSignature
    if (!signature || this.#clientId === undefined) return []
    this.#unsentSignature = undefined
    return [{ type: 'reasoning', text: '', ...signature, id: this.#clientId }]
  }

  /** The arguments that clients do not have yet, if they are final. */
  takeArguments(): AnswerEvent[] {
    return this.#argumentEvents(this.args.takeFinal(this.#isClosed))
  }

  /** The arguments that clients do not have, after the last piece. @throws Error as `add` does. */
  takeLastArguments(): AnswerEvent[] {
    return this.#argumentEvents(this.args.takeRest(this.name))
  }

  #argumentEvents(text: string): AnswerEvent[] {
    return text === '' ? [] : [{ type: 'tool_arguments', index: this.#index!, text }]
  }

  #addSignature(signature: CallSignature | undefined): void {
    if (!signature || signature.encrypted === this.#latestSignature) return
    this.#latestSignature = signature.encrypted
    this.#unsentSignature = signature
  }

  /** Adds a name, or the next part of one. Some upstreams repeat the name so far in each part. */
  #addName(name: string, isClosed: true | undefined): void {
    if (this.name === undefined) this.name = name
    if (name === this.name || !this.args.isEmpty || isClosed) return
    if (this.isOpen) throw new Error(`the name of its call of "${this.name}" continues after the arguments started`)
    this.name = name.startsWith(this.name) ? name : this.name + name
  }
}

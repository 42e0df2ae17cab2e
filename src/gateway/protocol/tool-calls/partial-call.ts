import type { CompletionEvent } from '#chat/events.ts'
import { CallArguments } from './call-arguments.ts'
import type { CallSignature, ToolCallFragment } from './fragment.ts'

/** A call as the client has it. `index` is its number among the calls of the response. */
type OpenedCall = { index: number; id: string; name: string }

/** One tool call while its fragments arrive. It is open once its id and name were sent to the client. */
export class PartialCall {
  /** The upstream's index of the call, as in `ToolCallFragment`. Several calls can have the same index. */
  readonly upstreamIndex: number | undefined
  readonly args = new CallArguments()
  #id: string | undefined
  #name: string | undefined
  #responseId: string | undefined
  #namespace: string | undefined
  /** The thought signature of the call (Gemini), until it was sent to the client. */
  #unsentSignature: CallSignature | undefined
  /** The latest thought signature. Some upstreams repeat it in each fragment. */
  #latestSignature: string | undefined
  #isCustom = false
  /** The next fragment can continue the name. */
  #isNamePartial = false
  /** Whether the upstream reported that the call is complete. */
  #isClosed = false
  #opened: OpenedCall | undefined

  constructor(upstreamIndex: number | undefined) {
    this.upstreamIndex = upstreamIndex
  }

  /** The upstream's id of the call. */
  get id(): string | undefined {
    return this.#id
  }

  /** The name so far. */
  get name(): string | undefined {
    return this.#name
  }

  /** The upstream's id of the response. If the upstream sends no id of the call, one is generated from it. */
  get responseId(): string | undefined {
    return this.#responseId
  }

  get isOpen(): boolean {
    return this.#opened !== undefined
  }

  /** The name, once the call can be sent to the client: everything that precedes its arguments is known. */
  get completedName(): string | undefined {
    const isStartKnown = this.#id !== undefined && (!this.#isNamePartial || this.args.hasText)
    return this.#isClosed || isStartKnown ? this.#name : undefined
  }

  /** Whether arguments can follow the finish reason: their end, or all of them. */
  get canContinue(): boolean {
    return this.args.isUnclosed || (!this.#isClosed && this.args.isMissing)
  }

  /** Whether the call has neither an id nor arguments. */
  get isEmpty(): boolean {
    return this.args.isMissing && this.#id === undefined
  }

  /** Makes the name final, because another call started. */
  completeName(): void {
    this.#isNamePartial = false
  }

  /**
   * Adds a fragment. @param isNamePartial whether the next fragment can continue the name.
   * @returns as `CallArguments.add` does.
   * @throws Error for a name that continues after it was sent to the client.
   */
  add(fragment: ToolCallFragment, isNamePartial: boolean): string {
    const { id, name, namespace, custom, isClosed, responseId, signature } = fragment
    this.#id ||= id || undefined
    if (name) {
      this.#addName(name, isClosed)
      this.#isNamePartial = isNamePartial
    }
    this.#namespace ??= namespace
    this.#responseId ||= responseId
    this.#addSignature(signature)
    if (custom) this.#isCustom = true
    const rest = this.args.add(fragment, this.#name)
    if (!isClosed) return rest
    this.#isClosed = true
    this.args.completeFromCopy(this.#name)
    return rest
  }

  /** Appends the arguments of a call without a name. @throws Error for a second object. */
  appendNameless({ args }: PartialCall): void {
    this.args.append(args, this.#name)
  }

  /** Opens the call. @returns the events for the client: the thought signature, and the call without its arguments. */
  open({ index, id, name }: OpenedCall): CompletionEvent[] {
    this.#opened = { index, id, name }
    this.#name = name
    const start: CompletionEvent = {
      type: 'tool_call',
      index,
      id,
      name,
      ...(this.#isCustom && { custom: true as const }),
      ...(this.#namespace && { namespace: this.#namespace }),
    }
    return [...this.takeSignature(), start]
  }

  /** Returns the thought signature if it was not sent to the client, once the call is open. */
  takeSignature(): CompletionEvent[] {
    const signature = this.#unsentSignature
    if (!signature || !this.#opened) return []
    this.#unsentSignature = undefined
    return [{ type: 'reasoning', text: '', ...signature, id: this.#opened.id }]
  }

  /** Returns unsent arguments that can no longer be replaced, once the call is open. */
  takeSendableArguments(): CompletionEvent[] {
    // The real arguments can follow a placeholder until the call is closed.
    if (!this.#opened || (this.args.isPlaceholder && !this.#isClosed)) return []
    return argumentEvents(this.#opened, this.args.takeSendable())
  }

  /** Returns all unsent arguments of an open call, after the last fragment. @throws Error as `CallArguments.takeRest` does. */
  takeRestOfArguments(): CompletionEvent[] {
    return this.#opened ? argumentEvents(this.#opened, this.args.takeRest(this.#name)) : []
  }

  #addSignature(signature: CallSignature | undefined): void {
    if (!signature || signature.encrypted === this.#latestSignature) return
    this.#latestSignature = signature.encrypted
    this.#unsentSignature = signature
  }

  /** Adds the name, or the next part of it. Some upstreams repeat the earlier parts in each part. */
  #addName(name: string, isClosed: true | undefined): void {
    this.#name ??= name
    if (name === this.#name || this.args.hasText || isClosed) return
    if (this.#opened)
      throw new Error(`the name of the call of "${this.#name}" continues after it was sent to the client`)
    this.#name = name.startsWith(this.#name) ? name : this.#name + name
  }
}

function argumentEvents({ index }: OpenedCall, text: string): CompletionEvent[] {
  return text === '' ? [] : [{ type: 'tool_arguments', index, text }]
}

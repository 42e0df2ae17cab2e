import type { AnswerEvent } from '#chat/events.ts'
import { JsonExtent } from '#platform/core/json-extent.ts'
import type { CallSignature, ToolCallPiece } from './piece.ts'

/** Longer arguments are not decoded, because that holds up other requests. */
const maxDecoded = 1024 * 1024

/** One tool call while its pieces arrive. */
export class PartialCall {
  readonly key: number | undefined
  id: string | undefined
  name: string | undefined
  /** The number of the latest upstream event with a piece of it. */
  latestEvent = 0
  /** The upstream's id of the answer, from which the id of a call without one is generated. */
  answerId: string | undefined
  #namespace: string | undefined
  /** The signature that clients do not have. */
  #signature: CallSignature | undefined
  #isCustom = false
  #isNamePartial = false
  /** Each piece repeats the arguments so far. */
  #isCumulative = false
  /** Whether the upstream reported that it is complete. */
  #isClosed = false
  /** Undefined before the first piece. */
  #startedWithArguments: boolean | undefined
  /** The arguments so far. Text after the end of JSON arguments is not included. */
  #text = ''
  /** All of the arguments, as the upstream repeated them at the end. Used if the pieces contain less. */
  #wholeText: string | undefined
  readonly #extent = new JsonExtent()
  /** Its index for clients, once it is opened for them. */
  #index: number | undefined
  #finalId: string | undefined
  /** The last signature. Some upstreams repeat it in each piece. */
  #signed: string | undefined
  /**
   * The part of the arguments that clients do not have. The whole text can be long, so it is not read for each piece.
   */
  #unsentText = ''
  #hasSent = false
  /** The answer ended without arguments, so clients have an empty object. */
  #isFilled = false
  /** Undefined until there is more than whitespace. */
  #startsObject: boolean | undefined

  constructor(key: number | undefined) {
    this.key = key
  }

  /** Its arguments are a whole JSON object or list. */
  get isComplete(): boolean {
    return !this.#isCustom && this.#extent.isComplete
  }

  /** Its arguments are JSON that has not ended. */
  get isCut(): boolean {
    return !this.#isCustom && this.#extent.isUnclosed
  }

  argumentsEqual(text: string): boolean {
    return text === this.#text
  }

  get hasNoArguments(): boolean {
    return this.#text === ''
  }

  /** Whether clients have its id and name. */
  get isOpen(): boolean {
    return this.#index !== undefined
  }

  /** Whether it is ready for clients: everything that precedes its arguments is known. */
  get canOpen(): boolean {
    if (this.#isClosed) return this.name !== undefined
    return this.name !== undefined && this.id !== undefined && !(this.#isNamePartial && this.#text === '')
  }

  /** Whether it has neither an id nor arguments. */
  get isBlank(): boolean {
    return this.#text.trim() === '' && !this.#wholeText && this.id === undefined
  }

  /** Its arguments so far are `{}`. Some upstreams send that with the name, before the real ones. */
  get isEmptyObject(): boolean {
    return this.isComplete && emptyObject.test(this.#text)
  }

  /** Makes its name final, because another call started. */
  completeName(): void {
    this.#isNamePartial = false
  }

  /** Takes the arguments of a call without a name, which are those of this one. */
  adopt(nameless: PartialCall): void {
    this.add({ type: 'call_piece', text: nameless.#text, whole: nameless.#wholeText })
  }

  /** @throws Error for a second object after the arguments, or a name that continues after it was sent. */
  add(
    { id, name, namespace, custom, text, whole, isClosed, answerId, signature }: ToolCallPiece,
    isNamePartial: boolean = false,
  ): void {
    this.id ||= id || undefined
    this.#startedWithArguments ??= !!text
    if (name) {
      this.#addName(name, isClosed)
      this.#isNamePartial = isNamePartial
    }
    this.#namespace ??= namespace
    this.answerId ||= answerId
    this.#addSignature(signature)
    if (custom) this.#isCustom = true
    if (text) this.#addText(text)
    if (whole) this.#wholeText = whole
    if (!isClosed) return
    this.#isClosed = true
    this.#complete()
  }

  /**
   * The start of the call for clients. Its signature precedes it, as reasoning precedes its result.
   * @param id the id to use if its upstream sent none.
   */
  open(index: number, id: string): AnswerEvent[] {
    this.#index = index
    this.#finalId = this.id ?? id
    const start: AnswerEvent = {
      type: 'tool_call',
      index,
      id: this.#finalId,
      name: this.name!,
      ...(this.#isCustom && { custom: true as const }),
      ...(this.#namespace && { namespace: this.#namespace }),
    }
    return [...this.takeSignature(), start]
  }

  /** The signature that came after the start of the call, or with it. */
  takeSignature(): AnswerEvent[] {
    const signature = this.#signature
    if (!signature || this.#finalId === undefined) return []
    this.#signature = undefined
    return [{ type: 'reasoning', text: '', ...signature, id: this.#finalId }]
  }

  /**
   * The arguments that clients do not have yet. Arguments that are not an object wait until they are certainly final.
   */
  takeArguments(): AnswerEvent[] {
    if (this.#startedWithArguments && this.isEmptyObject && !this.#isClosed) return []
    return this.#isCustom || this.#startsObject ? this.#takeUnsent() : []
  }

  /** Like `takeArguments`, but after the last piece: completes the arguments first. */
  takeLastArguments(): AnswerEvent[] {
    this.#complete()
    if (this.#hasSent || this.#isCustom) return this.#takeUnsent()
    this.#isFilled = meansNoArguments(this.#text)
    this.#unsentText = this.#isFilled ? '{}' : (objectInText(this.#unsentText) ?? this.#unsentText)
    return this.#takeUnsent()
  }

  #addSignature(signature: CallSignature | undefined): void {
    if (!signature || signature.encrypted === this.#signed) return
    this.#signed = signature.encrypted
    this.#signature = signature
  }

  /** Adds a name, or the next part of one. Some upstreams repeat the name so far in each part. */
  #addName(name: string, isClosed: true | undefined): void {
    if (this.name === undefined) this.name = name
    if (name === this.name || this.#text !== '' || isClosed) return
    if (this.isOpen) throw new Error(`the name of its call of "${this.name}" continues after the arguments started`)
    this.name = name.startsWith(this.name) ? name : this.name + name
  }

  #addText(piece: string): void {
    if (this.#isCustom) return this.#append(piece)
    const text = this.#extent.escapeControlCharacters(this.#newText(piece))
    // Some upstreams repeat the arguments when they are complete.
    if (this.isComplete && text === this.#text) return
    if (this.#isFilled && text.trim() !== '')
      throw new Error(`the arguments of its call of "${this.name}" follow the end of the answer`)
    const isPlaceholder = this.isEmptyObject || (this.#startsObject === false && meansNoArguments(this.#text))
    if (isPlaceholder && !this.#hasSent && startsObject(text)) return this.#replace(text)
    const accepted = this.#extent.push(text)
    this.#append(text.slice(0, accepted))
    if (this.#startsObject === undefined && text.trim() !== '') this.#startsObject = startsObject(text)
    if (startsObject(text.slice(accepted))) throw new Error(`the arguments of a call of "${this.name}" are two objects`)
  }

  /** The part of a piece that the arguments so far do not have. */
  #newText(piece: string): string {
    const before = this.#text
    if (before === '' || this.isComplete || !piece.startsWith(before)) return piece
    this.#isCumulative ||= repeats(before, piece, this.#extent.isInString)
    return this.#isCumulative ? piece.slice(before.length) : piece
  }

  #complete(): void {
    const whole = this.#wholeText
    if (whole === undefined || this.isComplete) return
    this.#wholeText = undefined
    if (whole.startsWith(this.#text)) this.#addText(whole.slice(this.#text.length))
    else if (!this.#hasSent) this.#replace(whole)
  }

  #replace(text: string): void {
    this.#text = ''
    this.#unsentText = ''
    this.#startsObject = undefined
    this.#extent.reset()
    this.#addText(text)
  }

  #append(text: string): void {
    this.#text += text
    this.#unsentText += text
  }

  #takeUnsent(): AnswerEvent[] {
    const text = this.#unsentText
    if (text === '') return []
    this.#unsentText = ''
    this.#hasSent = true
    return [{ type: 'tool_arguments', index: this.#index!, text }]
  }
}

const emptyObject = /^\s*\{\s*\}\s*$/

/**
 * Whether a piece that starts with the arguments so far repeats them. It can also continue them with an inner object that
 * starts in the same way. So it is only a repetition if the JSON would be invalid otherwise.
 */
function repeats(before: string, piece: string, isInString: boolean): boolean {
  if (!startsObject(before)) return false
  if (!isInString) return !/[:,[]\s*$/.test(before)
  // The first quote would end the string.
  const following = piece.charAt(piece.indexOf('"') + 1)
  return following !== '' && !/[\s:,}\]]/.test(following)
}

export const startsObject = (text: string) => /^\s*\{/.test(text)

/** The object of arguments that are encoded as JSON twice, or in a code block. */
function objectInText(text: string): string | undefined {
  if (text.length > maxDecoded) return undefined
  const inner = /^\s*"\s*\{/.test(text) ? tryParse(text) : /^\s*```(?:json)?\s*(\{[\s\S]*)$/.exec(text)?.[1]
  const value = typeof inner === 'string' ? tryParse(inner) : undefined
  return typeof value === 'object' && value !== null ? (inner as string) : undefined
}

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Texts that some models and servers send for a call without arguments. */
const emptyArguments: ReadonlySet<string> = new Set(['', 'null', 'None', '[]', '""'])
const meansNoArguments = (text: string) => emptyArguments.has(text.trim())

import { JsonExtent } from '#platform/core/json-extent.ts'
import {
  findEncodedObject,
  findTextAfterRepetition,
  isEmptyObject,
  isSameJson,
  meansNoArguments,
  startsObject,
} from './arguments-text.ts'
import type { ToolCallFragment } from './fragment.ts'

/**
 * The arguments of one tool call while their fragments arrive: the JSON of an object, or the free text of a custom tool. The
 * parameter `callName` is for error messages.
 */
export class CallArguments {
  /** The arguments are the free text of a custom tool. */
  #isCustom = false
  /** Each fragment starts with all of the earlier ones, so only its end is new. */
  #isCumulative = false
  /** Whether the first fragment of the call had arguments. Undefined before it. */
  #startedWithArguments: boolean | undefined
  /** The arguments so far. Text after the end of JSON arguments is not included. */
  #text = ''
  /** The copy of all arguments that some upstreams send at the end. Used if the fragments contain less. */
  #wholeText: string | undefined
  readonly #extent = new JsonExtent()
  /** The part of `#text` that was not sent to the client. Stored separately, so that `#text` is not copied for each fragment. */
  #unsentText = ''
  /** Some of the arguments were sent to the client. */
  #hasSent = false
  /** The upstream sent no arguments until the end of the response, so `{}` was sent to the client. */
  #hasSentDefault = false
  /** Whether the arguments start with `{`. Undefined while they are only white space. */
  #startsObject: boolean | undefined

  /** Whether the arguments are a complete JSON object or list. */
  get isComplete(): boolean {
    return !this.#isCustom && this.#extent.isComplete
  }

  /** Whether the arguments are the start of a JSON object or list whose end is missing. */
  get isUnclosed(): boolean {
    return !this.#isCustom && this.#extent.isUnclosed
  }

  /** Whether the arguments are `{}` so far. */
  get isEmptyObject(): boolean {
    return this.isComplete && isEmptyObject(this.#text)
  }

  /** Whether the arguments are `{}`, sent in the first fragment of the call. Some upstreams send the real arguments after it. */
  get isPlaceholder(): boolean {
    return this.#startedWithArguments === true && this.isEmptyObject
  }

  /** Whether a fragment had text, even if it was only white space. */
  get hasText(): boolean {
    return this.#text !== ''
  }

  /** Whether the upstream sent no arguments so far: the fragments had only white space, and it sent no copy at the end. */
  get isMissing(): boolean {
    return this.#text.trim() === '' && !this.#wholeText
  }

  /** Whether `text` is the same JSON as the arguments. White space between the tokens can differ. */
  equals(text: string): boolean {
    return isSameJson(text, this.#text)
  }

  /**
   * Adds the arguments of a fragment of the call.
   * @returns the text after the arguments if it starts another object, which belongs to another call; otherwise ''.
   */
  add(
    { text, wholeArguments, custom }: Pick<ToolCallFragment, 'text' | 'wholeArguments' | 'custom'>,
    callName: string | undefined,
  ): string {
    this.#startedWithArguments ??= !!text
    if (custom) this.#isCustom = true
    const rest = text ? this.#addText(text, callName) : ''
    if (wholeArguments) this.#wholeText = wholeArguments
    return rest
  }

  /** Appends arguments that arrived as another call. @throws Error for a second object. */
  append(other: CallArguments, callName: string | undefined): void {
    requireNoSecondObject(this.add({ text: other.#text, wholeArguments: other.#wholeText }, callName), callName)
  }

  /** Adds text that the fragments lack from the copy at the end. @throws Error for a second object. */
  completeFromCopy(callName: string | undefined): void {
    const whole = this.#wholeText
    if (whole === undefined || this.isComplete) return
    this.#wholeText = undefined
    if (whole.startsWith(this.#text))
      requireNoSecondObject(this.#addText(whole.slice(this.#text.length), callName), callName)
    else if (!this.#hasSent) requireNoSecondObject(this.#replace(whole, callName), callName)
  }

  /** Returns unsent text, except arguments that do not start an object: they can be replaced until `takeRest`. */
  takeSendable(): string {
    return this.#isCustom || this.#startsObject ? this.#takeUnsent() : ''
  }

  /** Returns all unsent text, after the last fragment. @throws Error as `completeFromCopy` does. */
  takeRest(callName: string | undefined): string {
    this.completeFromCopy(callName)
    if (this.#hasSent || this.#isCustom) return this.#takeUnsent()
    this.#hasSentDefault = meansNoArguments(this.#text)
    this.#unsentText = this.#hasSentDefault ? '{}' : (findEncodedObject(this.#unsentText) ?? this.#unsentText)
    return this.#takeUnsent()
  }

  /** @returns as `add` does. */
  #addText(fragment: string, callName: string | undefined): string {
    if (this.#isCustom) {
      this.#append(fragment)
      return ''
    }
    const text = this.#findNewText(fragment)
    // Some upstreams repeat the arguments when they are complete.
    if (this.isComplete && startsObject(text) && this.equals(text)) return ''
    if (this.#hasSentDefault && text.trim() !== '')
      throw new Error(`the arguments of the call of "${callName}" follow the end of the response`)
    if (startsObject(text) && this.#isReplaceable()) {
      // The client already has the empty object.
      if (this.#hasSent) requireNoSecondObject(text, callName)
      return this.#replace(text, callName)
    }
    const { value, rest } = this.#extent.split(text)
    this.#append(value)
    if (this.#startsObject === undefined && text.trim() !== '') this.#startsObject = startsObject(text)
    return startsObject(rest) ? rest.trimStart() : ''
  }

  /** Whether the arguments so far, such as `{}` or `null`, only stand for real ones. Slow, because it reads all of them. */
  #isReplaceable(): boolean {
    return this.isEmptyObject || (this.#startsObject === false && meansNoArguments(this.#text))
  }

  /** The part of a fragment that the arguments so far lack. */
  #findNewText(fragment: string): string {
    if (this.#text === '' || this.isComplete) return fragment
    if (this.#isCumulative && fragment.startsWith(this.#text)) return fragment.slice(this.#text.length)
    const text = findTextAfterRepetition(this.#text, fragment, this.#extent.isInString)
    if (text === undefined) return fragment
    this.#isCumulative ||= fragment.startsWith(this.#text)
    return text
  }

  #replace(text: string, callName: string | undefined): string {
    this.#text = ''
    this.#unsentText = ''
    this.#startsObject = undefined
    this.#extent.reset()
    return this.#addText(text, callName)
  }

  #append(text: string): void {
    this.#text += text
    this.#unsentText += text
  }

  #takeUnsent(): string {
    const text = this.#unsentText
    if (text === '') return ''
    this.#unsentText = ''
    this.#hasSent = true
    return text
  }
}

function requireNoSecondObject(rest: string, callName: string | undefined): void {
  if (rest !== '') throw new Error(`the arguments of a call of "${callName}" are two objects`)
}

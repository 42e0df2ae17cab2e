import { JsonExtent } from '#platform/core/json-extent.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import type { ToolCallPiece } from './piece.ts'

/** Longer arguments are not decoded, because that would block other requests. */
const maxDecoded = 1024 * 1024

/** The arguments of one tool call while their pieces arrive: the JSON of an object, or the free text of a custom tool. */
export class CallArguments {
  /** The arguments are the free text of a custom tool. */
  #isCustom = false
  /** Each piece starts with all of the earlier ones, so only its end is new. */
  #isCumulative = false
  /** Whether the first piece of the call had arguments. Undefined before it. */
  #startedWithArguments: boolean | undefined
  /** The arguments so far. Text after the end of JSON arguments is not included. */
  #text = ''
  /** The copy of all arguments that some upstreams send at the end. Used if the pieces contain less. */
  #wholeText: string | undefined
  readonly #extent = new JsonExtent()
  /** The part of `#text` that was not sent to the client. Stored separately, so that `#text` is not copied for each piece. */
  #unsentText = ''
  /** Some of the arguments were sent to the client. */
  #hasSent = false
  /** The upstream sent no arguments until the end of the answer, so `{}` was sent to the client. */
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

  /** Whether the arguments are `{}` so far. Some upstreams send that with the name, before the real arguments. */
  get isEmptyObject(): boolean {
    return this.isComplete && emptyObject.test(this.#text)
  }

  /** Whether a piece had text, even if it was only white space. */
  get hasText(): boolean {
    return this.#text !== ''
  }

  /** Whether the upstream sent no arguments so far: the pieces had only white space, and it sent no copy at the end. */
  get isMissing(): boolean {
    return this.#text.trim() === '' && !this.#wholeText
  }

  /** Whether `text` is the same JSON as the arguments. White space between the tokens can differ. */
  equals(text: string): boolean {
    return text === this.#text || (isSimilarInLength(text, this.#text) && minify(text) === minify(this.#text))
  }

  /**
   * Adds the arguments of a piece of the call.
   * @param callName the name of the call, for error messages.
   * @returns the text after the arguments if it starts another object, which belongs to another call; otherwise ''.
   */
  add({ text, whole, custom }: Pick<ToolCallPiece, 'text' | 'whole' | 'custom'>, callName: string | undefined): string {
    this.#startedWithArguments ??= !!text
    if (custom) this.#isCustom = true
    const rest = text ? this.#addText(text, callName) : ''
    if (whole) this.#wholeText = whole
    return rest
  }

  /** Appends the arguments of a call without a name, which belong to this call. @throws Error for a second object. */
  appendNameless(nameless: CallArguments, callName: string | undefined): void {
    requireNoSecondObject(this.add({ text: nameless.#text, whole: nameless.#wholeText }, callName), callName)
  }

  /** Adds text that the pieces lack from the copy at the end. @throws Error for a second object. */
  completeFromCopy(callName: string | undefined): void {
    const whole = this.#wholeText
    if (whole === undefined || this.isComplete) return
    this.#wholeText = undefined
    if (whole.startsWith(this.#text))
      requireNoSecondObject(this.#addText(whole.slice(this.#text.length), callName), callName)
    else if (!this.#hasSent) requireNoSecondObject(this.#replace(whole, callName), callName)
  }

  /**
   * Returns unsent text that can no longer be replaced. Arguments that do not start an object are held back until
   * `takeRest`; a first piece with `{}` is held back until the call is closed, because the real arguments can follow it.
   * @param isClosed whether the upstream reported that the call is complete.
   */
  takeSendable(isClosed: boolean): string {
    if (this.#startedWithArguments && this.isEmptyObject && !isClosed) return ''
    return this.#isCustom || this.#startsObject ? this.#takeUnsent() : ''
  }

  /** Returns all unsent text, after the last piece. @throws Error as `completeFromCopy` does. */
  takeRest(callName: string | undefined): string {
    this.completeFromCopy(callName)
    if (this.#hasSent || this.#isCustom) return this.#takeUnsent()
    this.#hasSentDefault = meansNoArguments(this.#text)
    this.#unsentText = this.#hasSentDefault ? '{}' : (findEncodedObject(this.#unsentText) ?? this.#unsentText)
    return this.#takeUnsent()
  }

  /** @returns as `add` does. */
  #addText(piece: string, callName: string | undefined): string {
    if (this.#isCustom) {
      this.#append(piece)
      return ''
    }
    const text = this.#findNewText(piece)
    // Some upstreams repeat the arguments when they are complete.
    if (this.isComplete && startsObject(text) && this.equals(text)) return ''
    if (this.#hasSentDefault && text.trim() !== '')
      throw new Error(`the arguments of the call of "${callName}" follow the end of the answer`)
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

  /** The part of a piece that the arguments so far lack. */
  #findNewText(piece: string): string {
    const before = this.#text
    if (before === '' || this.isComplete) return piece
    if (!piece.startsWith(before)) return this.#findEndOfCopy(piece) ?? piece
    this.#isCumulative ||= isRepetition(before, piece, this.#extent.isInString)
    return this.#isCumulative ? piece.slice(before.length) : piece
  }

  /**
   * The new text in a piece that repeats all of the arguments with other white space, as the last piece of some streams of
   * vLLM does. Undefined for another piece.
   */
  #findEndOfCopy(piece: string): string | undefined {
    const before = this.#text
    if (!wholeObject.test(piece) || !isSimilarInLength(piece, before)) return undefined
    if (!isRepetition(before, piece, this.#extent.isInString)) return undefined
    const [start, whole] = [minify(before), minify(piece)]
    return whole.startsWith(start) ? whole.slice(start.length) : undefined
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

const wholeObject = /^\s*\{[\s\S]*\}\s*$/
const emptyObject = /^\s*\{\s*\}\s*$/

/** Whether a piece that starts with the same text as the arguments so far repeats them. Otherwise it continues them. */
function isRepetition(before: string, piece: string, isInString: boolean): boolean {
  if (!startsObject(before)) return false
  // `{"a":` after `{"a":` can be a nested object. `{"a":1` after `{"a":1` repeats it, because no object can follow a value.
  if (!isInString) return !/[:,[]\s*$/.test(before)
  // The first quote of the piece would end the open string. `{"a":"b` after `{"a":"b` repeats it, because `a` cannot follow
  // a string. `{":1}` after `{"` continues it: the name is `{`.
  const following = piece.charAt(piece.indexOf('"') + 1)
  return following !== '' && !/[\s:,}\]]/.test(following)
}

/** An allowance for white space between tokens, which can be most of a short text. */
const shortObjectSpace = 16

/** Texts of very different lengths are not compared, so that the work stays in proportion to the received text. */
const isSimilarInLength = (text: string, argumentsSoFar: string) =>
  text.length <= 2 * argumentsSoFar.length && argumentsSoFar.length <= 2 * text.length + shortObjectSpace

/** JSON without the white space between its tokens. An alternation per character would overflow the stack in long strings. */
const minify = (json: string) => json.replace(/("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))|\s+/gs, '$1')

function requireNoSecondObject(rest: string, callName: string | undefined): void {
  if (rest !== '') throw new Error(`the arguments of a call of "${callName}" are two objects`)
}

export const startsObject = (text: string) => /^\s*\{/.test(text)

/** The JSON of an object within arguments that are a JSON string or a Markdown code block. */
function findEncodedObject(text: string): string | undefined {
  if (text.length > maxDecoded) return undefined
  const inner = /^\s*"\s*\{/.test(text)
    ? parseJsonOr(text, undefined)
    : /^\s*```(?:json)?\s*(\{[\s\S]*)$/.exec(text)?.[1]
  const value = typeof inner === 'string' ? parseJsonOr(inner, undefined) : undefined
  return typeof value === 'object' && value !== null ? (inner as string) : undefined
}

/** Texts that some models and servers send for a call without arguments. */
const emptyArguments: ReadonlySet<string> = new Set(['', 'null', 'None', 'undefined', '[]', '""'])
const meansNoArguments = (text: string) => emptyArguments.has(text.trim())

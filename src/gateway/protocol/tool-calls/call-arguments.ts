import { JsonExtent } from '#platform/core/json-extent.ts'
import type { ToolCallPiece } from './piece.ts'

/** Longer arguments are not decoded, because that would block other requests. */
const maxDecoded = 1024 * 1024

/** The arguments of one tool call while their pieces arrive: the JSON of an object, or the free text of a custom tool. */
export class CallArguments {
  #isCustom = false
  /** Each piece repeats the arguments so far. */
  #isCumulative = false
  /** Whether the first piece of the call had arguments. Undefined before it. */
  #startedWithArguments: boolean | undefined
  /** The arguments so far. Text after the end of JSON arguments is not included. */
  #text = ''
  /** All of the arguments, as the upstream repeated them at the end. Used if the pieces contain less. */
  #wholeText: string | undefined
  readonly #extent = new JsonExtent()
  /** The part of the arguments that clients do not have. The whole text can be long, so it is not read for each piece. */
  #unsentText = ''
  #hasSent = false
  /** The answer ended without arguments, so clients have an empty object. */
  #isFilled = false
  /** Undefined until there is more than whitespace. */
  #startsObject: boolean | undefined

  /** Whether the arguments are a complete JSON object or list. */
  get isComplete(): boolean {
    return !this.#isCustom && this.#extent.isComplete
  }

  /** Whether the arguments are JSON that has not ended. */
  get isCut(): boolean {
    return !this.#isCustom && this.#extent.isUnclosed
  }

  /** Whether the arguments are `{}` so far. Some upstreams send that with the name, before the real arguments. */
  get isEmptyObject(): boolean {
    return this.isComplete && emptyObject.test(this.#text)
  }

  /** Whether no piece had text so far. */
  get isEmpty(): boolean {
    return this.#text === ''
  }

  /** Whether the pieces had only white space so far, and no event repeated all of the arguments. */
  get isBlank(): boolean {
    return this.#text.trim() === '' && !this.#wholeText
  }

  /** Whether a text has the same JSON. White space can differ. */
  equals(text: string): boolean {
    return text === this.#text || (isSimilarInLength(text, this.#text) && minified(text) === minified(this.#text))
  }

  /**
   * Adds the arguments of a piece of the call.
   * @param callName the name of the call, for errors.
   * @returns the text of a second object after the arguments, which belongs to another call; empty if there is none.
   */
  add({ text, whole, custom }: Pick<ToolCallPiece, 'text' | 'whole' | 'custom'>, callName: string | undefined): string {
    this.#startedWithArguments ??= !!text
    if (custom) this.#isCustom = true
    const rest = text ? this.#addText(text, callName) : ''
    if (whole) this.#wholeText = whole
    return rest
  }

  /** Adds the arguments of a call without a name, which belong to this call. @throws Error for a second object. */
  adopt(nameless: CallArguments, callName: string | undefined): void {
    refuseSecond(this.add({ text: nameless.#text, whole: nameless.#wholeText }, callName), callName)
  }

  /** Adds what the upstream repeated at the end and the pieces lack. @throws Error for a second object. */
  complete(callName: string | undefined): void {
    const whole = this.#wholeText
    if (whole === undefined || this.isComplete) return
    this.#wholeText = undefined
    if (whole.startsWith(this.#text)) refuseSecond(this.#addText(whole.slice(this.#text.length), callName), callName)
    else if (!this.#hasSent) refuseSecond(this.#replace(whole, callName), callName)
  }

  /**
   * The text that clients do not have yet. Arguments that are not an object wait until they are certainly final.
   * @param isClosed whether the upstream reported that the call is complete.
   */
  takeFinal(isClosed: boolean): string {
    if (this.#startedWithArguments && this.isEmptyObject && !isClosed) return ''
    return this.#isCustom || this.#startsObject ? this.#takeUnsent() : ''
  }

  /** The text that clients do not have, after the last piece. Completes the arguments first. @throws Error as `complete` does. */
  takeRest(callName: string | undefined): string {
    this.complete(callName)
    if (this.#hasSent || this.#isCustom) return this.#takeUnsent()
    this.#isFilled = meansNoArguments(this.#text)
    this.#unsentText = this.#isFilled ? '{}' : (objectInText(this.#unsentText) ?? this.#unsentText)
    return this.#takeUnsent()
  }

  /** @returns as `add` does. */
  #addText(piece: string, callName: string | undefined): string {
    if (this.#isCustom) return this.#append(piece)
    const text = this.#newText(piece)
    // Some upstreams repeat the arguments when they are complete.
    if (this.isComplete && startsObject(text) && this.equals(text)) return ''
    if (this.#isFilled && text.trim() !== '')
      throw new Error(`the arguments of its call of "${callName}" follow the end of the answer`)
    if (startsObject(text) && this.#isPlaceholder()) {
      // Clients already have the empty object.
      if (this.#hasSent) refuseSecond(text, callName)
      return this.#replace(text, callName)
    }
    const { value, rest } = this.#extent.split(text)
    this.#append(value)
    if (this.#startsObject === undefined && text.trim() !== '') this.#startsObject = startsObject(text)
    return startsObject(rest) ? rest.trimStart() : ''
  }

  /** Whether the arguments so far only stand for those that follow. Reads all of them, so it is not checked for each piece. */
  #isPlaceholder(): boolean {
    return this.isEmptyObject || (this.#startsObject === false && meansNoArguments(this.#text))
  }

  /** The part of a piece that the arguments so far do not have. */
  #newText(piece: string): string {
    const before = this.#text
    if (before === '' || this.isComplete) return piece
    if (!piece.startsWith(before)) return this.#restOfWhole(piece) ?? piece
    this.#isCumulative ||= repeats(before, piece, this.#extent.isInString)
    return this.#isCumulative ? piece.slice(before.length) : piece
  }

  /**
   * The end of a piece that has all of the arguments with other white space. vLLM ends some streams with such a piece.
   * Undefined for another piece.
   */
  #restOfWhole(piece: string): string | undefined {
    const before = this.#text
    if (!wholeObject.test(piece) || !isSimilarInLength(piece, before)) return undefined
    if (!repeats(before, piece, this.#extent.isInString)) return undefined
    const [start, whole] = [minified(before), minified(piece)]
    return whole.startsWith(start) ? whole.slice(start.length) : undefined
  }

  #replace(text: string, callName: string | undefined): string {
    this.#text = ''
    this.#unsentText = ''
    this.#startsObject = undefined
    this.#extent.reset()
    return this.#addText(text, callName)
  }

  #append(text: string): string {
    this.#text += text
    this.#unsentText += text
    return ''
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

/** Short texts can differ more in length, by the white space between their tokens. */
const shortObjectSpace = 16

/** Texts of very different lengths are not compared, so that the work stays in proportion to the received text. */
const isSimilarInLength = (text: string, soFar: string) =>
  text.length <= 2 * soFar.length && soFar.length <= 2 * text.length + shortObjectSpace

/** JSON without the white space between its tokens. A choice for each character would overflow the stack in long strings. */
const minified = (json: string) => json.replace(/("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))|\s+/gs, '$1')

function refuseSecond(rest: string, callName: string | undefined): void {
  if (rest !== '') throw new Error(`the arguments of a call of "${callName}" are two objects`)
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
const emptyArguments: ReadonlySet<string> = new Set(['', 'null', 'None', 'undefined', '[]', '""'])
const meansNoArguments = (text: string) => emptyArguments.has(text.trim())

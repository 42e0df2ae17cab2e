import type { AnswerEvent } from '#chat/events.ts'
import { JsonExtent } from '#platform/core/json-extent.ts'
import type { ToolCallPiece } from './piece.ts'

/** One tool call while its pieces arrive. */
export class PartialCall {
  readonly key: number | undefined
  id: string | undefined
  name: string | undefined
  /** The number of the upstream event that added to it last. */
  batch = 0
  answerId: string | undefined
  #namespace: string | undefined
  #isCustom = false
  #isClosed = false
  /** The arguments so far. Text after the end of JSON arguments is not included. */
  #text = ''
  #whole: string | undefined
  readonly #extent = new JsonExtent()
  /** Its index for clients, once it is opened for them. */
  #index: number | undefined
  /**
   * The part of the arguments that clients do not have. The whole text can be long, so it is not read for each piece.
   */
  #unsent = ''
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
    return !this.#isCustom && this.#extent.isIncomplete
  }

  hasArguments(text: string): boolean {
    return text === this.#text
  }

  get isOpen(): boolean {
    return this.#index !== undefined
  }

  /** Whether it is ready for clients: everything that precedes its arguments is known. */
  get canOpen(): boolean {
    return this.name !== undefined && (this.id !== undefined || this.#isClosed)
  }

  get isBlank(): boolean {
    return this.#text.trim() === '' && !this.#whole && this.id === undefined
  }

  /** @throws Error for a second object after the arguments. */
  add({ id, name, namespace, custom, text, whole, isClosed, answerId }: ToolCallPiece): void {
    this.id ||= id || undefined
    this.name ||= name || undefined
    this.#namespace ??= namespace
    this.answerId ||= answerId
    if (custom) this.#isCustom = true
    if (text) this.#addText(text)
    if (whole) this.#whole = whole
    if (!isClosed) return
    this.#isClosed = true
    this.#complete()
  }

  /** @param id the id to use if its upstream sent none. */
  open(index: number, id: string): AnswerEvent {
    this.#index = index
    return {
      type: 'tool_call',
      index,
      id: this.id ?? id,
      name: this.name!,
      ...(this.#isCustom && { custom: true as const }),
      ...(this.#namespace && { namespace: this.#namespace }),
    }
  }

  /**
   * The arguments that clients do not have yet. Arguments that are not an object wait until they are certainly final.
   */
  takeArguments(): AnswerEvent[] {
    return this.#isCustom || this.#startsObject ? this.#take() : []
  }

  /** The same after the last piece. */
  takeLastArguments(): AnswerEvent[] {
    this.#complete()
    if (this.#hasSent || this.#isCustom) return this.#take()
    this.#isFilled = isNothing(this.#text)
    this.#unsent = this.#isFilled ? '{}' : (objectInText(this.#unsent) ?? this.#unsent)
    return this.#take()
  }

  #addText(text: string): void {
    if (this.#isCustom) return this.#append(text)
    // Some upstreams repeat the arguments when they are complete.
    if (this.isComplete && text === this.#text) return
    if (this.#isFilled && text.trim() !== '')
      throw new Error(`the arguments of its call of "${this.name}" follow the end of the answer`)
    if (this.#startsObject === false && startsObject(text) && isNothing(this.#text)) return this.#replace(text)
    const taken = this.#extent.push(text)
    this.#append(text.slice(0, taken))
    if (this.#startsObject === undefined && text.trim() !== '') this.#startsObject = startsObject(text)
    if (startsObject(text.slice(taken))) throw new Error(`the arguments of a call of "${this.name}" are two objects`)
  }

  #complete(): void {
    const whole = this.#whole
    if (whole === undefined || this.isComplete) return
    this.#whole = undefined
    if (whole.startsWith(this.#text)) this.#addText(whole.slice(this.#text.length))
    else if (!this.#hasSent) this.#replace(whole)
  }

  #replace(text: string): void {
    this.#text = ''
    this.#unsent = ''
    this.#startsObject = undefined
    this.#extent.reset()
    this.#addText(text)
  }

  #append(text: string): void {
    this.#text += text
    this.#unsent += text
  }

  #take(): AnswerEvent[] {
    const text = this.#unsent
    if (text === '') return []
    this.#unsent = ''
    this.#hasSent = true
    return [{ type: 'tool_arguments', index: this.#index!, text }]
  }
}

export const startsObject = (text: string) => /^\s*\{/.test(text)

/** The object of arguments that are encoded as JSON twice. */
function objectInText(text: string): string | undefined {
  if (!/^\s*"\s*\{/.test(text) || text.length > maxDecoded) return undefined
  const inner = valueIn(text)
  const value = typeof inner === 'string' ? valueIn(inner) : undefined
  return typeof value === 'object' && value !== null ? (inner as string) : undefined
}

function valueIn(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Longer arguments are not decoded, because that holds up other requests. */
const maxDecoded = 1024 * 1024

/** Some models send this text for a call without arguments. */
const isNothing = (text: string) => text.trim() === '' || text.trim() === 'null'

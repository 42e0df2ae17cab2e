import { Fault } from '../../core/fault.ts'
import { isDeeper } from '../../json/depth.ts'
import { maxParts as defaultMaxParts, maxFields } from '../../json/json-text/part-limits.ts'

/** The deepest nesting of arrays and objects: code that handles a body may recurse. */
export const maxDepth = 1000
/** A chat body of up to 1 MiB is never refused for the number of its parts. */
export const unlimitedLength = 1024 * 1024

export type PartLimits = {
  /**
   * Whether the text is stored and read again many times, as in management requests. Then the fields of an object are limited
   * in a text of any length.
   */
  isStored?: boolean
  /** The limit of parts, if a route has its own. */
  maxParts?: number | undefined
}

/** Counts the parts of a long text during parsing, because the parsed value may need far more memory than the text. */
export class PartCount {
  #parts = 0
  readonly #maxParts: number
  readonly #isLimited: boolean
  readonly #hasLimitedFields: boolean

  constructor(text: string, { isStored = false, maxParts = defaultMaxParts }: PartLimits) {
    this.#maxParts = maxParts
    this.#isLimited = text.length > unlimitedLength
    this.#hasLimitedFields = isStored || this.#isLimited
  }

  /** @throws Fault if the text has too many parts. */
  addPart(): void {
    if (++this.#parts > this.#maxParts && this.#isLimited)
      throw tooManyFault(
        `is longer than 1 MiB and has more than ${this.#maxParts} items, fields, arrays and objects together`,
      )
  }

  /** @throws Fault if the fields of one object are too many. */
  checkFields(fields: number): void {
    if (fields > maxFields && this.#hasLimitedFields)
      throw tooManyFault(`has an object of more than ${maxFields} fields`)
  }
}

/** @throws Fault if arrays and objects are nested too deeply. */
export function checkDepth(depth: number): void {
  if (depth > maxDepth) throw tooDeepFault()
}

/** @throws Fault if the value of a text is nested too deeply. */
export function checkValueDepth(text: string, value: unknown): void {
  // Each level has two brackets, so a shorter text cannot be nested too deeply.
  if (text.length > 2 * maxDepth && isDeeper(value, maxDepth)) throw tooDeepFault()
}

const tooDeepFault = () =>
  new Fault('invalid', `The body has arrays and objects nested more than ${maxDepth} levels deep; flatten it.`)

const tooManyFault = (problem: string) => new Fault('payload_too_large', `The body ${problem}. Send less at once.`)

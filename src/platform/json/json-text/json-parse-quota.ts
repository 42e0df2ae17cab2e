import { stringEnd } from './json-fields.ts'
import { maxFields, maxParts } from './part-limits.ts'

/** The characters that are parsed without counting their parts. */
const uncountedCharacters = 256 * 1024

/**
 * Limits the JSON texts that are parsed from the strings of one request, such as the arguments of tool calls. The limits are
 * those of a long body, because parsing many parts holds up all other requests.
 */
export class JsonParseQuota {
  #characters = 0
  #parts = 0

  /** Counts a text. @returns whether it can be parsed. */
  take(text: string): boolean {
    this.#characters += text.length
    if (this.#characters <= uncountedCharacters) return true
    if (this.#parts <= maxParts) this.#parts += countParts(text)
    return this.#parts <= maxParts
  }
}

const [quote, comma, colon] = [34, 44, 58]

/**
 * Counts the parts of a JSON text: items, fields, arrays and objects. Infinite if an object has too many fields. For text
 * that is not JSON, the number has no meaning.
 */
function countParts(text: string): number {
  let parts = 0
  const fieldsOfLevel: number[] = [0]
  for (let at = 0; at < text.length && parts <= maxParts; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) at = stringEnd(text, at) - 1
    else if (character === comma) parts++
    else if (character === colon) {
      parts++
      if (++fieldsOfLevel[fieldsOfLevel.length - 1]! > maxFields) return Number.POSITIVE_INFINITY
    } else if (isOpening(character)) {
      parts++
      fieldsOfLevel.push(0)
    } else if (isClosing(character) && fieldsOfLevel.length > 1) fieldsOfLevel.pop()
  }
  return parts
}

/** `[` or `{`. */
const isOpening = (character: number) => character === 91 || character === 123
/** `]` or `}`. */
const isClosing = (character: number) => character === 93 || character === 125

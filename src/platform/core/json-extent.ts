const quote = 34
const backslash = 92
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

const firstPrintable = 32

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < firstPrintable) return true
  return false
}

/** Finds the end of a JSON object or array in a text that arrives in pieces. Only counts brackets; does not validate. */
export class JsonExtent {
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isComplete = false

  /** Whether the object or array has ended. Always false for a text that starts with anything else. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Whether a bracket or a string is unclosed. */
  get isUnclosed(): boolean {
    return this.#depth > 0 || this.#isInString
  }

  get isInString(): boolean {
    return this.#isInString
  }

  /** @returns the number of characters of the piece that belong to the value. */
  push(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      if (this.#isComplete) return at
      this.#read(piece.charCodeAt(at))
    }
    return piece.length
  }

  /**
   * Pushes the next piece.
   * @returns its start that belongs to the value, with the control characters in strings escaped, as JSON requires, and the rest.
   */
  split(piece: string): { value: string; rest: string } {
    const before = this.#copy()
    const end = this.push(piece)
    return { value: before.#escapeControlCharacters(piece.slice(0, end)), rest: piece.slice(end) }
  }

  #escapeControlCharacters(piece: string): string {
    if (!hasControlCharacter(piece)) return piece
    let text = ''
    for (const character of piece) {
      const isInvalid = this.#isInString && hasControlCharacter(character)
      // Without the quotes, only the escape sequence remains.
      text += isInvalid ? JSON.stringify(character).slice(1, -1) : character
      this.push(character)
    }
    return text
  }

  #copy(): JsonExtent {
    const copy = new JsonExtent()
    copy.#depth = this.#depth
    copy.#isInString = this.#isInString
    copy.#isEscaped = this.#isEscaped
    copy.#isComplete = this.#isComplete
    return copy
  }

  reset(): void {
    this.#depth = 0
    this.#isInString = false
    this.#isEscaped = false
    this.#isComplete = false
  }

  #read(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (this.#isInString) {
      if (code === quote) this.#isInString = false
      else if (code === backslash) this.#isEscaped = true
    } else if (code === quote) this.#isInString = true
    else if (code === openBrace || code === openBracket) this.#depth++
    else if ((code === closeBrace || code === closeBracket) && --this.#depth === 0) this.#isComplete = true
  }
}

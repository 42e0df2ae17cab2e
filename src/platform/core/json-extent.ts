const quote = 34
const backslash = 92
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

/** Finds the end of a JSON object or list in a text that comes in pieces. It counts brackets and checks nothing else. */
export class JsonExtent {
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isComplete = false

  /** The object or list has ended. A text that starts with neither never ends. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** A bracket or a string is open. */
  get isCut(): boolean {
    return this.#depth > 0 || this.#isInString
  }

  /** @returns how many characters of the piece belong to the value: all of them, unless it has ended. */
  push(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      if (this.#isComplete) return at
      this.#read(piece.charCodeAt(at))
    }
    return piece.length
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

/** A longer text that is bytes in disguise is left out: nobody reads it. */
const longestDataUrl = 1000

/** What is written in the place of a text that is too long. */
const mark = (what: string) => `… [cut: ${what} left out]`

/** Takes JSON apart until so many bytes of it were taken, and marks what is left out. */
export class Cutter {
  #left: number
  /** Whether anything was left out. */
  isCut = false

  constructor(mostBytes: number) {
    this.#left = mostBytes
  }

  /** The last messages, as many as there is room for: what was said last is looked for first. */
  messages(messages: readonly unknown[]): unknown[] {
    const kept: unknown[] = []
    for (let at = messages.length - 1; at >= 0; at--) {
      if (this.#left <= 0) {
        this.isCut = true
        return [{ role: 'system', content: mark(`${at + 1} earlier messages`) }, ...kept.reverse()]
      }
      kept.push(this.value(messages[at]))
    }
    return kept.reverse()
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    this.#left -= 8
    if (Array.isArray(value)) return this.#some(value, (one) => this.value(one))
    if (typeof value !== 'object' || value === null) return value
    const entries = this.#some(Object.entries(value), ([name, part]) => {
      this.#left -= name.length
      return [name, this.value(part)] as const
    })
    return Object.fromEntries(entries)
  }

  /** The first ones, while there is room. */
  #some<From, To>(items: From[], take: (item: From) => To): To[] {
    const taken: To[] = []
    for (const item of items) {
      if (this.#left <= 0) {
        this.isCut = true
        break
      }
      taken.push(take(item))
    }
    return taken
  }

  text(text: string): string {
    if (text.length > longestDataUrl && text.startsWith('data:')) {
      this.isCut = true
      const kind = text.slice(0, Math.min(text.indexOf(',') + 1, 100))
      this.#left -= kind.length
      return kind + mark(`${text.length - kind.length} characters`)
    }
    const bytes = Buffer.byteLength(text)
    if (bytes <= this.#left) {
      this.#left -= bytes
      return text
    }
    this.isCut = true
    const kept = Buffer.from(text.slice(0, Math.max(0, this.#left))).subarray(0, Math.max(0, this.#left))
    // Half a character at the end is none.
    const begun = kept.toString('utf8').replace(/\ufffd+$/, '')
    this.#left = 0
    return begun + mark(`${text.length - begun.length} characters`)
  }
}

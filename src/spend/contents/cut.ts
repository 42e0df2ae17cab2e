/** Longer texts that are encoded bytes are omitted. */
const longestDataUrl = 1000

/** The mark for omitted content. */
const mark = (description: string) => `… [cut: ${description} omitted]`

/** Copies JSON up to a number of bytes, and marks omitted parts. */
export class Cutter {
  #remaining: number
  /** Whether anything was omitted. */
  isCut = false

  constructor(maxBytes: number) {
    this.#remaining = maxBytes
  }

  /** The last messages that fit. */
  messages(messages: readonly unknown[]): unknown[] {
    const recent: unknown[] = []
    for (let at = messages.length - 1; at >= 0; at--) {
      if (this.#remaining <= 0) {
        this.isCut = true
        return [{ role: 'system', content: mark(`${at + 1} earlier messages`) }, ...recent.reverse()]
      }
      recent.push(this.value(messages[at]))
    }
    return recent.reverse()
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    this.#remaining -= 8
    if (Array.isArray(value)) return this.#some(value, (one) => this.value(one))
    if (typeof value !== 'object' || value === null) return value
    const entries = this.#some(Object.entries(value), ([name, part]) => {
      this.#remaining -= name.length
      return [name, this.value(part)] as const
    })
    return Object.fromEntries(entries)
  }

  /** The first items that fit. */
  #some<From, To>(items: From[], take: (item: From) => To): To[] {
    const taken: To[] = []
    for (const item of items) {
      if (this.#remaining <= 0) {
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
      this.#remaining -= kind.length
      return kind + mark(`${text.length - kind.length} characters`)
    }
    const bytes = Buffer.byteLength(text)
    if (bytes <= this.#remaining) {
      this.#remaining -= bytes
      return text
    }
    this.isCut = true
    const start = Buffer.from(text.slice(0, Math.max(0, this.#remaining))).subarray(0, Math.max(0, this.#remaining))
    // Removes an incomplete character at the end.
    const beginning = start.toString('utf8').replace(/\ufffd+$/, '')
    this.#remaining = 0
    return beginning + mark(`${text.length - beginning.length} characters`)
  }
}

/** The length from which data URLs are omitted. */
const maxDataUrlLength = 1000

/** The start of a data URL, which has its media type. Prose can begin with `data:` too, as in a copied stream of events. */
const dataUrlStart = /^data:[\w.+/-]{0,60}(?:;[\w.+="-]{1,60}){0,5},/i

/** A rough size of a number, or of brackets, quotes and commas. */
const structureBytes = 8

/** The text that replaces omitted content. */
const omissionMark = (description: string) => `… [cut: ${description} omitted]`

/** Copies JSON up to a number of bytes, and marks omitted parts. */
export class ContentTruncator {
  #remaining: number
  /** Whether anything was omitted. */
  isTruncated = false

  constructor(maxBytes: number) {
    this.#remaining = maxBytes
  }

  /** Copies the last messages that fit. */
  copyMessages(messages: readonly unknown[]): unknown[] {
    const recent: unknown[] = []
    for (let index = messages.length - 1; index >= 0; index--) {
      if (this.#remaining <= 0) {
        this.isTruncated = true
        return [{ role: 'system', content: omissionMark(`${index + 1} earlier messages`) }, ...recent.reverse()]
      }
      recent.push(this.copy(messages[index]))
    }
    return recent.reverse()
  }

  copy(value: unknown): unknown {
    if (typeof value === 'string') return this.copyText(value)
    this.#remaining -= structureBytes
    if (Array.isArray(value)) return this.#itemsThatFit(value, (item) => this.copy(item))
    if (typeof value !== 'object' || value === null) return value
    const entries = this.#itemsThatFit(Object.entries(value), ([name, part]) => {
      this.#remaining -= name.length
      return [name, this.copy(part)] as const
    })
    return Object.fromEntries(entries)
  }

  /** Copies the first items that fit. */
  #itemsThatFit<From, To>(items: From[], copy: (item: From) => To): To[] {
    const parts: To[] = []
    for (const item of items) {
      if (this.#remaining <= 0) {
        this.isTruncated = true
        break
      }
      parts.push(copy(item))
    }
    return parts
  }

  copyText(text: string): string {
    const prefix = text.length > maxDataUrlLength ? dataUrlStart.exec(text)?.[0] : undefined
    if (prefix !== undefined) {
      this.isTruncated = true
      this.#remaining -= prefix.length
      return prefix + omissionMark(`${text.length - prefix.length} characters`)
    }
    const bytes = Buffer.byteLength(text)
    if (bytes <= this.#remaining) {
      this.#remaining -= bytes
      return text
    }
    this.isTruncated = true
    const start = Buffer.from(text.slice(0, Math.max(0, this.#remaining))).subarray(0, Math.max(0, this.#remaining))
    // Removes an incomplete character at the end.
    const head = start.toString('utf8').replace(/\ufffd+$/, '')
    this.#remaining = 0
    return head + omissionMark(`${text.length - head.length} characters`)
  }
}

import { stripVTControlCharacters } from 'node:util'

/** Stores the first `head` and the last `tail` bytes of an output of any length. Memory stays below `head + 2 * tail` bytes. */
export class BoundedText {
  readonly #limits: { head: number; tail: number }
  readonly #head: Buffer[] = []
  #tail: Buffer[] = []
  #headBytes = 0
  #tailBytes = 0
  #totalBytes = 0

  constructor(limits: { head: number; tail: number }) {
    this.#limits = limits
  }

  add(bytes: Buffer): void {
    this.#totalBytes += bytes.length
    const first = bytes.subarray(0, this.#limits.head - this.#headBytes)
    if (first.length) this.#head.push(Buffer.from(first))
    this.#headBytes += first.length
    // Cuts a huge chunk before storing it.
    const rest = bytes.subarray(first.length).subarray(-this.#limits.tail)
    if (rest.length) this.#tail.push(Buffer.from(rest))
    this.#tailBytes += rest.length
    this.#trimTail()
  }

  /** Returns the stored bytes followed by `last`, which is not stored. */
  text(last: Buffer = Buffer.alloc(0)): string {
    const first = last.subarray(0, this.#limits.head - this.#headBytes)
    const end = Buffer.concat([...this.#tail, last.subarray(first.length)]).subarray(-this.#limits.tail)
    const omitted = this.#totalBytes + last.length - this.#headBytes - first.length - end.length
    const gap = omitted > 0 ? [Buffer.from(`\n… ${omitted} bytes omitted …\n`)] : []
    return stripVTControlCharacters(Buffer.concat([...this.#head, first, ...gap, end]).toString())
  }

  #trimTail(): void {
    if (this.#tailBytes <= 2 * this.#limits.tail) return
    this.#tail = [Buffer.concat(this.#tail).subarray(-this.#limits.tail)]
    this.#tailBytes = this.#limits.tail
  }
}

/** Shortens a text to its first `head` and last `tail` bytes, with the number of omitted bytes between them. */
export function shorten(text: string, limits: { head: number; tail: number }): string {
  const bounded = new BoundedText(limits)
  bounded.add(Buffer.from(text))
  return bounded.text()
}

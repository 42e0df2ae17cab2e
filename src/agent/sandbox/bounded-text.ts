import { stripVTControlCharacters } from 'node:util'
import { isContinuationByte } from '#platform/text/decode-bytes.ts'

/** The numbers of bytes that are stored of the beginning and of the end. */
type Limits = { head: number; tail: number }

/** Stores the first `head` and the last `tail` bytes of an output of any length, and no other bytes. */
export class BoundedText {
  readonly #limits: Limits
  readonly #headChunks: Buffer[] = []
  #headBytes = 0
  readonly #tail: TailBytes
  #totalBytes = 0

  constructor(limits: Limits) {
    this.#limits = limits
    this.#tail = new TailBytes(limits.tail)
  }

  add(bytes: Buffer): void {
    this.#totalBytes += bytes.length
    const first = bytes.subarray(0, this.#limits.head - this.#headBytes)
    if (first.length) this.#headChunks.push(Buffer.from(first))
    this.#headBytes += first.length
    this.#tail.add(bytes.subarray(first.length))
  }

  /**
   * Returns the stored bytes as text, with the number of omitted bytes between them.
   * @param pending an unfinished line after the stored bytes. It is not stored, because later output can still change it.
   */
  text(pending: Buffer = Buffer.alloc(0)): string {
    const first = pending.subarray(0, this.#limits.head - this.#headBytes)
    const head = Buffer.concat([...this.#headChunks, first])
    const tail = lastBytes(Buffer.concat([this.#tail.read(), pending.subarray(first.length)]), this.#limits.tail)
    const total = this.#totalBytes + pending.length
    if (head.length + tail.length === total) return stripVTControlCharacters(Buffer.concat([head, tail]).toString())
    const start = head.subarray(0, head.length - countIncompleteBytes(head))
    const end = tail.subarray(countContinuationBytes(tail))
    const note = `\n… ${total - start.length - end.length} bytes omitted …\n`
    return stripVTControlCharacters(`${start}${note}${end}`)
  }
}

/** The last bytes of an output, in a ring buffer. */
class TailBytes {
  readonly #ring: Buffer
  #totalBytes = 0

  constructor(size: number) {
    this.#ring = Buffer.allocUnsafe(size)
  }

  add(bytes: Buffer): void {
    this.#totalBytes += bytes.length
    const stored = lastBytes(bytes, this.#ring.length)
    if (stored.length === 0) return
    const copiedBytes = stored.copy(this.#ring, (this.#totalBytes - stored.length) % this.#ring.length)
    stored.copy(this.#ring, 0, copiedBytes)
  }

  read(): Buffer {
    if (this.#totalBytes <= this.#ring.length) return this.#ring.subarray(0, this.#totalBytes)
    const oldest = this.#totalBytes % this.#ring.length
    return Buffer.concat([this.#ring.subarray(oldest), this.#ring.subarray(0, oldest)])
  }
}

const lastBytes = (bytes: Buffer, count: number) => bytes.subarray(Math.max(0, bytes.length - count))

/** The longest character in UTF-8 has a first byte and this many continuation bytes. */
const maxContinuationBytes = 3

/** Counts the bytes at the start of a text that belong to a character before it. */
function countContinuationBytes(text: Buffer): number {
  let count = 0
  while (count < maxContinuationBytes && isContinuationByte(text[count])) count++
  return count
}

/** Counts the bytes at the end of a text that are the start of a longer character. */
function countIncompleteBytes(text: Buffer): number {
  let count = 1
  while (count <= maxContinuationBytes && isContinuationByte(text.at(-count))) count++
  const firstByte = text.at(-count) ?? 0
  const characterBytes = firstByte >= 0xf0 ? 4 : firstByte >= 0xe0 ? 3 : firstByte >= 0xc0 ? 2 : 1
  return count < characterBytes ? count : 0
}

/** Shortens a text to its first `head` and last `tail` bytes, with the number of omitted bytes between them. */
export function shorten(text: string, limits: Limits): string {
  const bounded = new BoundedText(limits)
  bounded.add(Buffer.from(text))
  return bounded.text()
}

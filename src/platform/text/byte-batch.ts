const initialCapacity = 1024

/** In bytes. Shorter parts are copied byte by byte, because a native call costs more. */
const minNativeCopy = 48

/** Collects bytes for one write. */
export class ByteBatch {
  #bytes: Buffer | undefined
  #used = 0

  get isEmpty(): boolean {
    return this.#used === 0
  }

  add(piece: Uint8Array): void {
    this.#reserve(piece.length).set(piece, this.#used)
    this.#used += piece.length
  }

  addPart(piece: Buffer, from: number, to: number): void {
    const bytes = this.#reserve(to - from)
    if (to - from > minNativeCopy) piece.copy(bytes, this.#used, from, to)
    else for (let at = from, used = this.#used; at < to; at++) bytes[used++] = piece[at]!
    this.#used += to - from
  }

  /** Returns everything that was added, and empties the batch. */
  take(): Buffer {
    const bytes = this.#bytes?.subarray(0, this.#used) ?? Buffer.alloc(0)
    this.#bytes = undefined
    this.#used = 0
    return bytes
  }

  /** Returns the buffer, enlarged if `length` more bytes do not fit. */
  #reserve(length: number): Buffer {
    const requiredLength = this.#used + length
    if (this.#bytes && this.#bytes.length >= requiredLength) return this.#bytes
    const larger = Buffer.allocUnsafe(Math.max(initialCapacity, 2 * requiredLength))
    if (this.#bytes) this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
    return larger
  }
}

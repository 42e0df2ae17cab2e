const slabBytes = 8 * 1024
/** So many pieces are kept as they are: most of what is held is a few. */
const few = 16

const none = Buffer.alloc(0)

/**
 * Bytes that wait for the rest of them. Small pieces are copied together: a buffer for each byte of a sender that drips
 * would take a hundred times what it sent.
 */
export class ByteBuffer {
  #pieces: Buffer[] = []
  #slab: Buffer = none
  /** The used part of the slab. While it is not 0, the slab is the last piece. */
  #used = 0
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  /** @param piece is kept as it is when it is large: it must not change. */
  add(piece: Buffer): void {
    this.#bytes += piece.length
    if (piece.length > slabBytes / 2 || this.#pieces.length < few) {
      this.#seal()
      this.#pieces.push(piece)
      return
    }
    if (this.#used + piece.length > this.#slab.length) {
      this.#seal()
      this.#slab = Buffer.allocUnsafeSlow(slabBytes)
    }
    this.#used += piece.copy(this.#slab, this.#used)
  }

  /** All that was held, `last` behind it; nothing is held then. */
  take(last: Buffer): Buffer {
    if (this.#bytes === 0) return last
    this.#seal()
    const whole = Buffer.concat([...this.#pieces, last])
    this.#pieces = []
    this.#slab = none
    this.#bytes = 0
    return whole
  }

  #seal(): void {
    if (this.#used > 0) this.#pieces.push(this.#slab.subarray(0, this.#used))
    this.#slab = this.#slab.subarray(this.#used)
    this.#used = 0
  }
}

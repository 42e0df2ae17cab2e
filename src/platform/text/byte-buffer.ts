const slabBytes = 8 * 1024
/** The number of pieces that are stored without copying. Usually there are fewer. */
const maxUncopiedPieces = 16

const emptyBuffer = Buffer.alloc(0)

/**
 * Buffers bytes until a message is complete. Small pieces are copied together, because a separate buffer for each byte of a
 * slow sender would need a hundred times the memory.
 */
export class ByteBuffer {
  #pieces: Buffer[] = []
  #slab: Buffer = emptyBuffer
  /** The number of used bytes of the slab. While `#used` is not 0, these bytes are the last piece. */
  #used = 0
  #byteLength = 0

  get byteLength(): number {
    return this.#byteLength
  }

  /** @param piece must not change afterwards, because a large one is stored without copying. */
  add(piece: Buffer): void {
    this.#byteLength += piece.length
    if (piece.length > slabBytes / 2 || this.#pieces.length < maxUncopiedPieces) {
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

  /** Returns the buffered bytes followed by `last`, and empties the buffer. One piece is not copied. */
  take(last: Buffer = emptyBuffer): Buffer {
    if (this.#byteLength === 0) return last
    this.#seal()
    const isOnePiece = this.#pieces.length === 1 && last.length === 0
    const whole = isOnePiece ? this.#pieces[0]! : Buffer.concat([...this.#pieces, last])
    this.#pieces = []
    this.#slab = emptyBuffer
    this.#byteLength = 0
    return whole
  }

  /** Adds the used bytes of the slab to the pieces. Its unused bytes remain the slab. */
  #seal(): void {
    if (this.#used === 0) return
    this.#pieces.push(this.#slab.subarray(0, this.#used))
    this.#slab = this.#slab.subarray(this.#used)
    this.#used = 0
  }
}

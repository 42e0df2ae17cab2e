import { ByteBuffer } from '../../text/byte-buffer.ts'
import { withoutByteOrderMark } from '../../text/decode-bytes.ts'

const [space, quote, comma, backslash] = [32, 34, 44, 92]
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125]

/** The limit of bytes outside of the list. */
const maxOutsideBytes = 1024 * 1024

/**
 * Reads a JSON object that consists mostly of one long list of objects, while its bytes arrive. Each item is passed on
 * when its last byte has arrived, so that no step takes longer than its chunk.
 */
export class JsonListReader {
  readonly #listStart: RegExp
  readonly #onItem: (item: Buffer) => void
  /** The bytes outside of the list. */
  readonly #outside = new ByteBuffer()
  /** The end of `#outside`, because the name of the list can be split between two chunks. */
  #outsideEnd = ''
  /** The start of the current item. */
  readonly #item = new ByteBuffer()
  /** The number of open brackets: 1 in the object, 2 in the list, 3 in an item. */
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isInList = false
  #hasStarted = false

  /** @param name the field with the list. @param onItem takes the JSON of one item. */
  constructor(name: string, onItem: (item: Buffer) => void) {
    this.#listStart = new RegExp(`"${name}"\\s*:\\s*$`)
    this.#onItem = onItem
  }

  /** @throws Error if the list contains anything but objects, or the rest is too long. */
  push(bytes: Buffer): void {
    const chunk = this.#hasStarted ? bytes : withoutByteOrderMark(bytes)
    this.#hasStarted = true
    // The first byte that was neither stored nor skipped.
    let pendingStart = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (this.#isInString) at = this.#skipString(chunk, at)
      else if (byte === quote) this.#isInString = true
      else if (byte === openObject || byte === openArray) pendingStart = this.#open(chunk, pendingStart, at)
      else if (byte === closeObject || byte === closeArray) pendingStart = this.#close(chunk, pendingStart, at)
    }
    const remaining = chunk.subarray(pendingStart)
    if (!this.#isInList) this.#addOutside(remaining)
    else if (this.#depth > 2) this.#item.add(remaining)
    else requireSeparators(remaining)
  }

  /** Returns the object with an empty list. @throws SyntaxError if it is not valid JSON. */
  end(): unknown {
    return JSON.parse(this.#outside.take().toString('utf8'))
  }

  /** @returns the position of the quote that ends the string; the length of the chunk if the string continues. */
  #skipString(chunk: Buffer, from: number): number {
    let at = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      at++
    }
    for (; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === quote) {
        this.#isInString = false
        return at
      }
      if (byte === backslash && ++at === chunk.length) this.#isEscaped = true
    }
    return at
  }

  /** Handles the opening bracket at `at`. @returns the new `pendingStart`. */
  #open(chunk: Buffer, pendingStart: number, at: number): number {
    const isArray = chunk[at] === openArray
    this.#depth++
    if (this.#isInList && this.#depth === 3) {
      requireSeparators(chunk.subarray(pendingStart, at))
      if (isArray) throw itemNotObject()
      return at
    }
    if (!isArray || this.#depth !== 2 || !this.#opensList(chunk.subarray(pendingStart, at))) return pendingStart
    this.#addOutside(chunk.subarray(pendingStart, at + 1))
    this.#isInList = true
    return at + 1
  }

  /** Handles the closing bracket at `at`. @returns the new `pendingStart`. */
  #close(chunk: Buffer, pendingStart: number, at: number): number {
    this.#depth--
    if (!this.#isInList || this.#depth > 2) return pendingStart
    if (this.#depth === 2) {
      this.#endItem(chunk.subarray(pendingStart, at + 1))
      return at + 1
    }
    requireSeparators(chunk.subarray(pendingStart, at))
    this.#isInList = false
    return at
  }

  #opensList(before: Buffer): boolean {
    return this.#listStart.test(this.#outsideEnd + before.toString('latin1'))
  }

  #endItem(end: Buffer): void {
    this.#onItem(this.#item.take(end))
  }

  #addOutside(bytes: Buffer): void {
    if (this.#outside.byteLength + bytes.length > maxOutsideBytes)
      throw new Error(`it has over ${maxOutsideBytes} bytes outside of its list`)
    this.#outside.add(bytes)
    this.#outsideEnd = (this.#outsideEnd + bytes.toString('latin1')).slice(-maxNameLength)
  }
}

/** The longest name of a list, with the space after it. */
const maxNameLength = 256

const itemNotObject = () => new Error('an item of its list is not an object')

/** Between two objects of the list there is only a comma. */
function requireSeparators(bytes: Buffer): void {
  for (const byte of bytes) if (byte !== comma && byte > space) throw itemNotObject()
}

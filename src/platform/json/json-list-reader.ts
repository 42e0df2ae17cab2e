import { ByteBuffer } from '../text/byte-buffer.ts'
import { withoutMark } from '../text/decode-bytes.ts'

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [34, 92, 91, 93, 123, 125]

/** Limits the bytes outside of the list. */
const maxRestBytes = 1024 * 1024

/**
 * Reads a JSON object that consists mostly of one long list of objects, while its bytes arrive. Each item is passed on
 * when its last byte has arrived, so that no step takes longer than its chunk.
 */
export class JsonListReader {
  readonly #list: RegExp
  readonly #onItem: (item: Buffer) => void
  /** The bytes outside of the list. */
  readonly #rest = new ByteBuffer()
  /** The end of these bytes, because the name of the list can be split between two chunks. */
  #restEnd = ''
  /** The start of the current item. */
  readonly #item = new ByteBuffer()
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isInList = false
  #hasStarted = false

  /** @param name the member with the list. @param onItem takes the JSON of one item. */
  constructor(name: string, onItem: (item: Buffer) => void) {
    this.#list = new RegExp(`"${name}"\\s*:\\s*$`)
    this.#onItem = onItem
  }

  /** @throws Error if the list contains anything but objects, or the rest is too long. */
  push(bytes: Buffer): void {
    const chunk = this.#hasStarted ? bytes : withoutMark(bytes)
    this.#hasStarted = true
    // The first byte that was neither stored nor skipped.
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (this.#isInString) {
        at = this.#endOfString(chunk, at)
      } else if (byte === quote) {
        this.#isInString = true
      } else if (byte === openObject || byte === openArray) {
        this.#depth++
        if (this.#isInList && this.#depth === 3) {
          requireSeparators(chunk.subarray(from, at))
          if (byte === openArray) throw notObjects()
          from = at
        } else if (byte === openArray && this.#depth === 2 && this.#opensList(chunk.subarray(from, at))) {
          this.#addRest(chunk.subarray(from, at + 1))
          this.#isInList = true
          from = at + 1
        }
      } else if (byte === closeObject || byte === closeArray) {
        this.#depth--
        if (!this.#isInList) continue
        if (this.#depth === 2) {
          this.#endItem(chunk.subarray(from, at + 1))
          from = at + 1
        } else if (this.#depth === 1) {
          requireSeparators(chunk.subarray(from, at))
          this.#isInList = false
          from = at
        }
      }
    }
    const remaining = chunk.subarray(from)
    if (!this.#isInList) this.#addRest(remaining)
    else if (this.#depth > 2) this.#item.add(remaining)
    else requireSeparators(remaining)
  }

  /** Returns the object with an empty list. @throws SyntaxError if it is not valid JSON. */
  end(): unknown {
    return JSON.parse(this.#rest.take().toString('utf8'))
  }

  /** @returns the position of the quote that ends the string, or the last one of the chunk. */
  #endOfString(chunk: Buffer, from: number): number {
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

  #opensList(before: Buffer): boolean {
    return this.#list.test(this.#restEnd + before.toString('latin1'))
  }

  #endItem(end: Buffer): void {
    this.#onItem(this.#item.take(end))
  }

  #addRest(bytes: Buffer): void {
    if (this.#rest.bytes + bytes.length > maxRestBytes)
      throw new Error(`it has over ${maxRestBytes} bytes outside of its list`)
    this.#rest.add(bytes)
    this.#restEnd = (this.#restEnd + bytes.toString('latin1')).slice(-maxNameLength)
  }
}

/** The longest name of a list, with the space after it. */
const maxNameLength = 256

const notObjects = () => new Error('an item of its list is not an object')

/** Between two objects of the list there is only a comma. */
function requireSeparators(bytes: Buffer): void {
  for (const byte of bytes) if (byte !== 44 && byte > 32) throw notObjects()
}

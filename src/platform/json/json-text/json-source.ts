import { isAscii, isUtf8 } from 'node:buffer'
import { encodeLatin1 } from '../../text/copy-bytes.ts'
import { decodeLatin1 } from '../../text/decode-bytes.ts'
import { findFields, stringEnd, toLatin1Json } from './json-fields.ts'

type Fields = Readonly<Record<string, unknown>>

/** Objects with more fields than this are serialized: scanning their text costs as much. */
const maxScannedFields = 500

/** In bytes. Shorter objects are serialized, which is faster. */
const minSourceBytes = 8192

/** Whether it saves time to keep the bytes of an object. @param fields undefined if they were not counted. */
export function shouldRetainSource(bytes: Buffer, fields: number | undefined): boolean {
  return bytes.length >= minSourceBytes && (fields === undefined || fields <= maxScannedFields)
}

/** In bytes. Shorter fields are copied; longer ones are referenced in the original buffer. */
const maxCopiedBytes = 16_384

/**
 * An object and the JSON bytes that it was parsed from. If few fields change, most of the bytes are reused instead of
 * serializing the object.
 */
export class JsonSource {
  readonly value: object
  #bytes: Buffer
  #text: string

  /** @param text the bytes decoded as UTF-8, from which the value was parsed. */
  constructor(value: object, bytes: Buffer, text: string) {
    this.value = value
    this.#bytes = bytes
    this.#text = text
  }

  /** Serializes an object that shares most fields with `value`. Undefined in the cases of `serializeWith`. */
  serializeAs(other: Fields): Buffer[] | undefined {
    const value = this.value as Fields
    const changes: Record<string, unknown> = {}
    for (const name in other) if (other[name] !== value[name]) changes[name] = other[name]
    for (const name in value) if (!Object.hasOwn(other, name)) changes[name] = undefined
    return this.serializeWith(changes)
  }

  /**
   * Serializes the object with these fields changed; undefined fields are removed. Names must be ASCII.
   * @returns undefined if another parser could read the bytes differently: for duplicate names, some take the first.
   */
  serializeWith(changes: Fields): Buffer[] | undefined {
    if (this.#bytes === emptyBuffer) return undefined
    const text = this.#latin1()
    if (text === undefined || !isUnambiguous(text, this.value)) return undefined
    const fields = findFields(text, text.indexOf('{'))
    const pieces: Buffer[] = []
    let pendingText = ''
    for (const name in changes)
      if (changes[name] !== undefined)
        pendingText += `${pendingText && ','}${toLatin1Json(name)}:${toLatin1Json(changes[name])}`
    pendingText = `{${pendingText}`
    for (const { name, start, end } of fields) {
      if (name.includes('\\')) return undefined
      if (Object.hasOwn(changes, name)) continue
      if (pieces.length > 0 || pendingText !== '{') pendingText += ','
      if (end - start <= maxCopiedBytes) pendingText += text.slice(start, end)
      else {
        pieces.push(encodeLatin1(pendingText), this.#bytes.subarray(start, end))
        pendingText = ''
      }
    }
    pieces.push(encodeLatin1(`${pendingText}}`))
    return pieces
  }

  /** Drops the bytes. Afterwards `serializeWith` returns undefined. */
  release(): void {
    this.#bytes = emptyBuffer
    this.#text = ''
  }

  /** Returns the bytes as one character each; undefined if they are not valid UTF-8, which parsers read differently. */
  #latin1(): string | undefined {
    if (this.#text.length === this.#bytes.length && isAscii(this.#bytes)) return this.#text
    return isUtf8(this.#bytes) ? decodeLatin1(this.#bytes) : undefined
  }
}

const emptyBuffer = Buffer.alloc(0)

/** Whether the object has few fields and its text has no duplicate names. */
function isUnambiguous(text: string, value: object): boolean {
  const fields = countFields(value)
  return fields <= maxScannedFields && fields === countNames(text)
}

function countFields(value: object): number {
  const pending: object[] = [value]
  let fields = 0
  for (let index = 0; index < pending.length; index++) {
    const parts = pending[index]!
    if (Array.isArray(parts)) {
      if (parts.length > maxScannedFields) return Number.POSITIVE_INFINITY
      for (const part of parts) if (typeof part === 'object' && part !== null) pending.push(part)
    } else
      for (const name in parts) {
        fields++
        const part = (parts as Record<string, unknown>)[name]
        if (typeof part === 'object' && part !== null) pending.push(part)
      }
    if (fields > maxScannedFields || pending.length > 2 * maxScannedFields) return Number.POSITIVE_INFINITY
  }
  return fields
}

const [space, colon] = [32, 58]

/** Counts the strings that are followed by a colon: the names of fields. */
function countNames(text: string): number {
  let names = 0
  let at = text.indexOf('"')
  while (at !== -1) {
    let end = stringEnd(text, at)
    while (text.charCodeAt(end) <= space) end++
    if (text.charCodeAt(end) === colon) names++
    at = text.indexOf('"', end)
  }
  return names
}

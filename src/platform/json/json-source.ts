import { isAscii, isUtf8 } from 'node:buffer'
import { bufferOfLatin1 } from '../text/copy-bytes.ts'
import { latin1Of } from '../text/decode-bytes.ts'
import { bytesOfJson, membersOf, stringEnd } from './json-members.ts'

type Changes = Readonly<Record<string, unknown>>

/** Objects with more members than this are serialized: scanning their text costs as much. */
const maxMembers = 500

/** In bytes. Shorter objects are serialized, which is faster. */
const minSourceBytes = 8192

/** Whether it saves time to keep the bytes of an object. @param members undefined if they were not counted. */
export function shouldRetainSource(bytes: Buffer, members: number | undefined): boolean {
  return bytes.length >= minSourceBytes && (members === undefined || members <= maxMembers)
}

/** In bytes. Shorter members are copied; longer ones are referenced in the original buffer. */
const longMember = 16_384

/**
 * An object and the JSON bytes that it was parsed from. If few members change, most of the bytes are reused instead of
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

  /** Serializes an object that shares most members with this one. Undefined in the cases of `changed`. */
  as(other: Changes): Buffer[] | undefined {
    const value = this.value as Changes
    const changes: Record<string, unknown> = {}
    for (const name in other) if (other[name] !== value[name]) changes[name] = other[name]
    for (const name in value) if (!Object.hasOwn(other, name)) changes[name] = undefined
    return this.changed(changes)
  }

  /**
   * Serializes the object with these members changed; undefined members are removed. Names must be ASCII.
   * @returns undefined if another parser could read the bytes differently: for duplicate names, some take the first.
   */
  changed(changes: Changes): Buffer[] | undefined {
    if (this.#bytes === none) return undefined
    const text = this.#latin1()
    if (text === undefined || !isUnambiguous(text, this.value)) return undefined
    const members = membersOf(text, text.indexOf('{'))
    const pieces: Buffer[] = []
    let short = ''
    for (const name in changes)
      if (changes[name] !== undefined) short += `${short && ','}${bytesOfJson(name)}:${bytesOfJson(changes[name])}`
    short = `{${short}`
    for (const { name, start, end } of members) {
      if (name.includes('\\')) return undefined
      if (Object.hasOwn(changes, name)) continue
      if (pieces.length > 0 || short !== '{') short += ','
      if (end - start <= longMember) short += text.slice(start, end)
      else {
        pieces.push(bufferOfLatin1(short), this.#bytes.subarray(start, end))
        short = ''
      }
    }
    pieces.push(bufferOfLatin1(`${short}}`))
    return pieces
  }

  /** Drops the bytes. Afterwards `changed` returns undefined. */
  release(): void {
    this.#bytes = none
    this.#text = ''
  }

  /** Returns the bytes as one character each; undefined if they are not valid UTF-8, which parsers read differently. */
  #latin1(): string | undefined {
    if (this.#text.length === this.#bytes.length && isAscii(this.#bytes)) return this.#text
    return isUtf8(this.#bytes) ? latin1Of(this.#bytes) : undefined
  }
}

const none = Buffer.alloc(0)

/** Whether the object has few members and its text has no duplicate names. */
function isUnambiguous(text: string, value: object): boolean {
  const members = countMembers(value)
  return members <= maxMembers && members === countNames(text)
}

function countMembers(value: object): number {
  const pending: object[] = [value]
  let members = 0
  for (let index = 0; index < pending.length; index++) {
    const parts = pending[index]!
    if (Array.isArray(parts)) {
      if (parts.length > maxMembers) return Number.POSITIVE_INFINITY
      for (const part of parts) if (typeof part === 'object' && part !== null) pending.push(part)
    } else
      for (const name in parts) {
        members++
        const part = (parts as Record<string, unknown>)[name]
        if (typeof part === 'object' && part !== null) pending.push(part)
      }
    if (members > maxMembers || pending.length > 2 * maxMembers) return Number.POSITIVE_INFINITY
  }
  return members
}

const colon = 58

/** Counts the strings that are followed by a colon: the names of members. */
function countNames(text: string): number {
  let names = 0
  let at = text.indexOf('"')
  while (at !== -1) {
    let end = stringEnd(text, at)
    while (text.charCodeAt(end) <= 32) end++
    if (text.charCodeAt(end) === colon) names++
    at = text.indexOf('"', end)
  }
  return names
}

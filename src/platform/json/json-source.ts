import { isAscii, isUtf8 } from 'node:buffer'
import { ownLatin1 } from '../text/own-bytes.ts'
import { latin1Of } from '../text/text-of-bytes.ts'
import { bytesOfJson, membersOf, stringEnd } from './json-members.ts'

type Changes = Readonly<Record<string, unknown>>

/** With more members than this, writing an object anew costs no more than looking at its text. */
const mostMembers = 500

/** Shorter objects are written anew more quickly. */
export const worthASource = 8192

/** Shorter members are copied; longer ones stay where they are. */
const longMember = 16_384

/**
 * An object and the bytes of JSON that it was read from. Changed in a few members, it need not be written anew, whatever
 * its size.
 */
export class JsonSource {
  readonly value: object
  #bytes: Buffer
  #text: string

  /** @param text the bytes as UTF-8, which the value was read from. */
  constructor(value: object, bytes: Buffer, text: string) {
    this.value = value
    this.#bytes = bytes
    this.#text = text
  }

  /** The bytes of an object that has most of its members from this one. Undefined as where `changed` is. */
  as(other: Changes): Buffer[] | undefined {
    const value = this.value as Changes
    const changes: Record<string, unknown> = {}
    for (const name in other) if (other[name] !== value[name]) changes[name] = other[name]
    for (const name in value) if (!Object.hasOwn(other, name)) changes[name] = undefined
    return this.changed(changes)
  }

  /**
   * The bytes of the object with these members, whose names are ASCII, and without those that are undefined. Undefined where another reader
   * may read something else in the bytes than was read here: of two members of one name, others take the first.
   */
  changed(changes: Changes): Buffer[] | undefined {
    if (this.#bytes === none) return undefined
    const text = this.#latin1()
    if (text === undefined || !isReadAlike(text, this.value)) return undefined
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
        pieces.push(ownLatin1(short), this.#bytes.subarray(start, end))
        short = ''
      }
    }
    pieces.push(ownLatin1(`${short}}`))
    return pieces
  }

  /** It is not changed any more: nothing is kept of its bytes. */
  release(): void {
    this.#bytes = none
    this.#text = ''
  }

  /** One character for each byte, of bytes that every reader takes for the same text. */
  #latin1(): string | undefined {
    if (this.#text.length === this.#bytes.length && isAscii(this.#bytes)) return this.#text
    return isUtf8(this.#bytes) ? latin1Of(this.#bytes) : undefined
  }
}

const none = Buffer.alloc(0)

/** Whether an object of few members has all that stand in its text: of two with one name it would have one only. */
function isReadAlike(text: string, value: object): boolean {
  const members = countMembers(value)
  return members <= mostMembers && members === countNames(text)
}

function countMembers(value: object): number {
  const pending: object[] = [value]
  let members = 0
  for (let seen = 0; seen < pending.length; seen++) {
    const parts = pending[seen]!
    if (Array.isArray(parts)) {
      if (parts.length > mostMembers) return Number.POSITIVE_INFINITY
      for (const part of parts) if (typeof part === 'object' && part !== null) pending.push(part)
    } else
      for (const name in parts) {
        members++
        const part = (parts as Record<string, unknown>)[name]
        if (typeof part === 'object' && part !== null) pending.push(part)
      }
    if (members > mostMembers || pending.length > 2 * mostMembers) return Number.POSITIVE_INFINITY
  }
  return members
}

const colon = 58

/** A text of JSON that a colon follows is a name. */
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

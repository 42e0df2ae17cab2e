import type { ByteBatch } from '#platform/text/byte-batch.ts'
import { ownBytes } from '#platform/text/own-bytes.ts'

/** No text that a model is likely to say, so that it is found in one place. */
const probe = Buffer.from('signalbox probe')
/** The same for the padding that OpenAI puts behind the text, so that its length tells nothing. */
const paddingProbe = Buffer.from('signalbox padding')
const padding = /"obfuscation"\s*:\s*"([^"\\\u0000-\u001f]+)"/

/** So many events may be learned from, beyond one for every few that were found. */
const mostTrials = 4
const findsForTrial = 8

const quote = 34
const backslash = 92
const space = 32
const none = Buffer.alloc(0)

/** An event around its text: what is before it, what follows it, and behind that padding with an end of its own. */
type Frame = { before: Buffer; after: Buffer; end: Buffer | undefined }

/**
 * Most events of a stream differ only in their text. A template learned from one of them finds the text of the next ones,
 * and writes them in the form that the client gets, in their bytes: nothing is parsed, and no string is made.
 */
export class EventTemplate {
  /** Where the text of the event that was found last is, as it stands in JSON. */
  from = 0
  to = 0
  /** How many bytes of that text only escape others. */
  escapes = 0
  #paddingFrom = 0
  #paddingTo = 0
  #frame = noFrame
  #newFrame = noNewFrame
  #trials = mostTrials
  #finds = 0

  /**
   * Looks for an event that is like the learned one but for its text and padding.
   * @returns where it ends, or -1 where there is none at `at`.
   */
  find(bytes: Buffer, at: number): number {
    const { pieces, afterAt, endAt, hasPadding } = this.#frame
    this.from = at + afterAt
    if (afterAt === 0 || !hasAt(bytes, at, pieces, 0, afterAt)) return -1
    this.to = this.#textEnd(bytes, this.from)
    if (this.to <= this.from || !hasAt(bytes, this.to, pieces, afterAt, endAt)) return -1
    this.#finds++
    this.#paddingFrom = this.to + endAt - afterAt
    if (!hasPadding) return this.#paddingFrom
    this.#paddingTo = plainEnd(bytes, this.#paddingFrom)
    if (this.#paddingTo === -1 || !hasAt(bytes, this.#paddingTo, pieces, endAt, pieces.length)) return -1
    return this.#paddingTo + pieces.length - endAt
  }

  /** Writes the event that was found last in its new form. */
  write(bytes: Buffer, out: ByteBatch): void {
    const { pieces, textsAt, endAt, hasPadding } = this.#newFrame
    let written = 0
    for (const at of textsAt) {
      out.addPart(pieces, written, at)
      out.addPart(bytes, this.from, this.to)
      written = at
    }
    out.addPart(pieces, written, endAt)
    if (!hasPadding) return
    out.addPart(bytes, this.#paddingFrom, this.#paddingTo)
    out.addPart(pieces, endAt, pieces.length)
  }

  /**
   * @param text what the event says.
   * @param isSaid whether an event says this text, and is otherwise read as the one that is learned from.
   * @param change makes the new form of an event.
   * @returns whether it is known now.
   */
  learn(
    event: Buffer,
    text: string,
    isSaid: (event: Buffer, text: string) => boolean,
    change: (event: Buffer) => Buffer,
  ): boolean {
    if (this.#trials === 0 && this.#finds < findsForTrial) return false
    const frame = frameOf(event, text)
    if (!frame) return false
    this.#trials = Math.max(0, this.#trials - 1)
    this.#finds = 0
    const tried = Buffer.concat([
      ...[frame.before, probe, frame.after],
      ...(frame.end ? [paddingProbe, frame.end] : []),
    ])
    const newFrame = isSaid(tried, probe.toString()) && cut(change(tried), frame.end !== undefined)
    if (!newFrame) return false
    const memory = ownBytes({ known: inOnePiece(frame), changed: newFrame.pieces })
    this.#frame = kept(frame, memory.known)
    this.#newFrame = { ...newFrame, pieces: memory.changed }
    return true
  }

  /** Where the text that begins at `from` ends; -1 where it has an escape of more than one character. */
  #textEnd(bytes: Buffer, from: number): number {
    this.escapes = 0
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === quote) return at
      if (byte < space) return -1
      if (byte !== backslash) continue
      if (!isShortEscape(bytes[++at])) return -1
      this.escapes++
    }
    return -1
  }
}

const shortEscapes = new Set(Buffer.from('"\\/bfnrt'))
const isShortEscape = (byte: number | undefined) => byte !== undefined && shortEscapes.has(byte)

/** Where a string without escapes ends; -1 where it has some. */
function plainEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) return at
    if (byte < space || byte === backslash) return -1
  }
  return -1
}

/** An engine's own comparison takes twice as long for the few bytes of an event. */
function hasAt(bytes: Buffer, at: number, pieces: Buffer, from: number, to: number): boolean {
  const shift = at - from
  if (bytes.length < to + shift) return false
  for (let one = from; one < to; one++) if (bytes[one + shift] !== pieces[one]) return false
  return true
}

function frameOf(event: Buffer, text: string): Frame | undefined {
  const said = Buffer.from(JSON.stringify(text))
  const at = event.indexOf(said)
  if (at === -1 || text === '') return undefined
  const before = event.subarray(0, at + 1)
  const rest = event.toString('latin1', at + said.length - 1)
  const found = padding.exec(rest)
  if (!found) return { before, after: Buffer.from(rest, 'latin1'), end: undefined }
  const [to, length] = [found.index + found[0].length - 1, found[1]!.length]
  return {
    before,
    after: Buffer.from(rest.slice(0, to - length), 'latin1'),
    end: Buffer.from(rest.slice(to), 'latin1'),
  }
}

/** A frame in one piece, which is kept as long as the stream lasts: `after` begins at `afterAt`, `end` at `endAt`. */
type KeptFrame = { pieces: Buffer; afterAt: number; endAt: number; hasPadding: boolean }

function kept({ before, after, end }: Frame, pieces: Buffer): KeptFrame {
  return { pieces, afterAt: before.length, endAt: before.length + after.length, hasPadding: end !== undefined }
}

const inOnePiece = ({ before, after, end = none }: Frame) => Buffer.concat([before, after, end])

const noFrame: KeptFrame = { pieces: none, afterAt: 0, endAt: 0, hasPadding: false }

/**
 * The new form of an event in one piece. The text is inserted at each of `textsAt`, and the padding, if there is any, at
 * `endAt`.
 */
type NewFrame = { pieces: Buffer; textsAt: number[]; endAt: number; hasPadding: boolean }

const noNewFrame: NewFrame = { pieces: none, textsAt: [], endAt: 0, hasPadding: false }

/** The frame of an event with the probe for text, which can be in several places, and the one for padding, in one. */
function cut(event: Buffer, hasPadding: boolean): NewFrame | undefined {
  const [said = '', end = '', ...others] = event.toString('latin1').split(paddingProbe.toString())
  if (others.length > 0 || (end !== '') !== hasPadding || end.includes(probe.toString())) return undefined
  const parts = said.split(probe.toString())
  if (parts.length < 2) return undefined
  const textsAt: number[] = []
  let at = 0
  for (const part of parts.slice(0, -1)) {
    at += part.length
    textsAt.push(at)
  }
  const text = parts.join('')
  return { pieces: Buffer.from(text + end, 'latin1'), textsAt, endAt: text.length, hasPadding }
}

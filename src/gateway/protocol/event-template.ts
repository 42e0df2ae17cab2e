import type { ByteBatch } from '#platform/text/byte-batch.ts'
import { copyBytes } from '#platform/text/copy-bytes.ts'

/** A text that no event contains, so that it is found only where it was inserted. */
const probe = Buffer.from('signalbox probe')
/** Another text that no event contains. It replaces the padding with which OpenAI hides the length of a text. */
const paddingProbe = Buffer.from('signalbox padding')
const paddingPattern = /"obfuscation"\s*:\s*"([^"\\\u0000-\u001f]+)"/

/**
 * A template always learns the first `maxTrials` times. Because learning takes time, it then learns again only if it has found
 * `findsForTrial` events since the last time.
 */
const maxTrials = 4
const findsForTrial = 8

const quote = 34
const backslash = 92
const space = 32
const emptyBuffer = Buffer.alloc(0)

/** The bytes of an event around its text and its padding. `afterPadding` is undefined for an event without padding. */
type Frame = { beforeText: Buffer; afterText: Buffer; afterPadding: Buffer | undefined }

/**
 * Finds the text of stream events that differ from a learned event only in their text, and writes the events as the client gets
 * them. Works on bytes, without parsing.
 */
export class EventTemplate {
  /** The position of the text in the event that was found last, as a JSON string. */
  from = 0
  to = 0
  /** The number of backslashes in that text. */
  escapes = 0
  #paddingFrom = 0
  #paddingTo = 0
  #frame = noFrame
  #clientFrame = noClientFrame
  #trials = maxTrials
  #finds = 0

  /**
   * Finds an event at `at` that differs from the learned one only in its text and padding.
   * @returns its end, or -1 if there is none.
   */
  find(bytes: Buffer, at: number): number {
    const { frameBytes, textAt, paddingAt, hasPadding } = this.#frame
    this.from = at + textAt
    // Nothing was learned yet, or the event has another start.
    if (textAt === 0 || !matchesAt(bytes, at, frameBytes, 0, textAt)) return -1
    this.to = this.#textEnd(bytes, this.from)
    if (this.to <= this.from || !matchesAt(bytes, this.to, frameBytes, textAt, paddingAt)) return -1
    this.#finds++
    this.#paddingFrom = this.to + paddingAt - textAt
    if (!hasPadding) return this.#paddingFrom
    this.#paddingTo = plainEnd(bytes, this.#paddingFrom)
    if (this.#paddingTo === -1 || !matchesAt(bytes, this.#paddingTo, frameBytes, paddingAt, frameBytes.length))
      return -1
    return this.#paddingTo + frameBytes.length - paddingAt
  }

  /** Writes the event that was found last, as the client gets it. */
  write(bytes: Buffer, out: ByteBatch): void {
    const { frameBytes, textOffsets, paddingAt, hasPadding } = this.#clientFrame
    let written = 0
    for (const at of textOffsets) {
      out.addPart(frameBytes, written, at)
      out.addPart(bytes, this.from, this.to)
      written = at
    }
    out.addPart(frameBytes, written, paddingAt)
    if (!hasPadding) return
    out.addPart(bytes, this.#paddingFrom, this.#paddingTo)
    out.addPart(frameBytes, paddingAt, frameBytes.length)
  }

  /**
   * Learns from an event.
   * @param text the text of the event.
   * @param matchesText whether a changed event has this text and otherwise equals the event.
   * @param rewriteForClient rewrites an event for the client. Called once here, so that `write` can write later events in the same way.
   * @returns whether it was learned.
   */
  learn(
    event: Buffer,
    text: string,
    matchesText: (event: Buffer, text: string) => boolean,
    rewriteForClient: (event: Buffer) => Buffer,
  ): boolean {
    if (this.#trials === 0 && this.#finds < findsForTrial) return false
    const frame = findFrame(event, text)
    if (!frame) return false
    this.#trials = Math.max(0, this.#trials - 1)
    this.#finds = 0
    const probedParts = [frame.beforeText, probe, frame.afterText]
    if (frame.afterPadding) probedParts.push(paddingProbe, frame.afterPadding)
    // The event with the probes as text and padding. The rewritten event has the probes where later events have theirs.
    const candidate = Buffer.concat(probedParts)
    const clientFrame =
      matchesText(candidate, probe.toString()) &&
      splitFrame(rewriteForClient(candidate), frame.afterPadding !== undefined)
    if (!clientFrame) return false
    const memory = copyBytes({ frame: joinFrame(frame), clientFrame: clientFrame.frameBytes })
    this.#frame = toStoredFrame(frame, memory.frame)
    this.#clientFrame = { ...clientFrame, frameBytes: memory.clientFrame }
    return true
  }

  /** The end of the text that starts at `from`; -1 if it has an escape longer than two characters. */
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

/** The end of a string without escapes; -1 if it has escapes. */
function plainEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) return at
    if (byte < space || byte === backslash) return -1
  }
  return -1
}

/** Compares bytes. `Buffer.compare` takes twice as long for so few bytes. */
function matchesAt(bytes: Buffer, at: number, expected: Buffer, from: number, to: number): boolean {
  const shift = at - from
  if (bytes.length < to + shift) return false
  for (let index = from; index < to; index++) if (bytes[index + shift] !== expected[index]) return false
  return true
}

function findFrame(event: Buffer, text: string): Frame | undefined {
  const jsonText = Buffer.from(JSON.stringify(text))
  const at = event.indexOf(jsonText)
  if (at === -1 || text === '') return undefined
  const beforeText = event.subarray(0, at + 1)
  const remainder = event.toString('latin1', at + jsonText.length - 1)
  const paddingMatch = paddingPattern.exec(remainder)
  if (!paddingMatch) return { beforeText, afterText: Buffer.from(remainder, 'latin1'), afterPadding: undefined }
  const paddingEnd = paddingMatch.index + paddingMatch[0].length - 1
  const paddingStart = paddingEnd - paddingMatch[1]!.length
  return {
    beforeText,
    afterText: Buffer.from(remainder.slice(0, paddingStart), 'latin1'),
    afterPadding: Buffer.from(remainder.slice(paddingEnd), 'latin1'),
  }
}

/** A frame as one buffer. The text is inserted at `textAt`, the padding at `paddingAt`. */
type StoredFrame = { frameBytes: Buffer; textAt: number; paddingAt: number; hasPadding: boolean }

function toStoredFrame({ beforeText, afterText, afterPadding }: Frame, frameBytes: Buffer): StoredFrame {
  return {
    frameBytes,
    textAt: beforeText.length,
    paddingAt: beforeText.length + afterText.length,
    hasPadding: afterPadding !== undefined,
  }
}

const joinFrame = ({ beforeText, afterText, afterPadding = emptyBuffer }: Frame) =>
  Buffer.concat([beforeText, afterText, afterPadding])

const noFrame: StoredFrame = { frameBytes: emptyBuffer, textAt: 0, paddingAt: 0, hasPadding: false }

/** The event for the client as one buffer. The text is inserted at each of `textOffsets`, the padding at `paddingAt`. */
type ClientFrame = { frameBytes: Buffer; textOffsets: number[]; paddingAt: number; hasPadding: boolean }

const noClientFrame: ClientFrame = { frameBytes: emptyBuffer, textOffsets: [], paddingAt: 0, hasPadding: false }

/** Cuts an event at the probes: the text can occur several times, the padding once. */
function splitFrame(event: Buffer, hasPadding: boolean): ClientFrame | undefined {
  const [jsonText = '', end = '', ...others] = event.toString('latin1').split(paddingProbe.toString())
  if (others.length > 0 || (end !== '') !== hasPadding || end.includes(probe.toString())) return undefined
  const parts = jsonText.split(probe.toString())
  if (parts.length < 2) return undefined
  const textOffsets: number[] = []
  let at = 0
  for (const part of parts.slice(0, -1)) {
    at += part.length
    textOffsets.push(at)
  }
  const text = parts.join('')
  return { frameBytes: Buffer.from(text + end, 'latin1'), textOffsets, paddingAt: text.length, hasPadding }
}

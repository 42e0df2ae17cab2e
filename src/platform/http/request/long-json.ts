import type { Steps } from '../../async/long-work.ts'
import { stringEnd } from '../../json/json-text/json-fields.ts'
import { checkDepth, PartCount, type PartLimits } from './json-parts.ts'

type PieceParser = PartLimits & {
  /** Parses a text, or throws. */
  parse: (text: string) => unknown
  /** Creates the error for a text that is not JSON at about this position. */
  invalid: (position: number) => Error
}

export type LongJson = {
  value: unknown
  /** The number of fields of all objects. */
  fields: number
}

/** The characters that are parsed in one step, unless one string or number is longer. */
const defaultPieceLength = 64 * 1024
/** The characters that are read in one step. */
const stepLength = 256 * 1024

/**
 * Parses a long text in steps, because one `JSON.parse` can block the event loop for too long.
 * @throws Fault if the text is nested too deeply, or has too many parts; the error of `parse` if the text is mostly one
 * string.
 */
export function* parseInSteps(text: string, parser: PieceParser, pieceLength = defaultPieceLength): Steps<LongJson> {
  const reader = new PieceReader(text, parser, pieceLength)
  while (!reader.step()) yield
  return { value: reader.value(), fields: reader.fields }
}

/** An array or object that is open at the current position. */
class Level {
  isArray = false
  /** Start of its current item or field. */
  itemStart = 0
  /** Its value so far; undefined if it lies within a piece that is not parsed yet. */
  value: object | undefined
  /** Start of its text that is not in its value yet. */
  pending = 0
  /** Whether its current item is parsed, so that only whitespace can follow. */
  hasItem = false
  fields = 0

  start(at: number, isArray: boolean): void {
    this.isArray = isArray
    this.itemStart = at
    this.value = undefined
    this.pending = at
    this.hasItem = false
    this.fields = 0
  }
}

const [quote, comma, colon] = [34, 44, 58]
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125]

/**
 * Reads a text once and parses it in pieces. When enough text is read, it parses the pending items of all open arrays
 * and objects. Each piece consists of whole items or fields, so the parser checks everything except what stands
 * between the pieces.
 */
class PieceReader {
  fields = 0
  readonly #text: string
  readonly #parse: PieceParser['parse']
  readonly #invalid: PieceParser['invalid']
  readonly #pieceLength: number
  readonly #count: PartCount
  readonly #levels: Level[] = []
  #depth = 0
  #at = 0
  /** End of the last piece. */
  #parsed = 0
  #root: object | undefined

  constructor(text: string, { parse, invalid, ...limits }: PieceParser, pieceLength: number) {
    this.#text = text
    this.#parse = parse
    this.#invalid = invalid
    this.#pieceLength = pieceLength
    this.#count = new PartCount(text, limits)
  }

  /** Reads the next part of the text. @returns whether that was the last one. */
  step(): boolean {
    const text = this.#text
    const end = Math.min(text.length, this.#at + stepLength)
    const parsed = this.#parsed
    let next = this.#at
    while (next < end && this.#parsed === parsed) {
      const at = next
      const character = text.charCodeAt(at)
      next = character === quote ? stringEnd(text, at) : at + 1
      if (character === comma) this.#endItem(at)
      else if (character === colon) this.#addField()
      else if (character === openArray || character === openObject) this.#open(at + 1, character === openArray)
      else if (character === closeArray || character === closeObject) this.#close(at, character === closeArray)
    }
    this.#at = next
    return next >= text.length
  }

  value(): unknown {
    // A text without pieces is mostly one string.
    if (this.#root === undefined) return this.#parse(this.#text)
    if (this.#depth > 0) throw this.#invalid(this.#text.length)
    this.#requireSpace(this.#parsed, this.#text.length)
    return this.#root
  }

  #addField(): void {
    this.fields++
    const level = this.#levels[this.#depth - 1]
    if (level) this.#count.checkFields(++level.fields)
  }

  #open(at: number, isArray: boolean): void {
    this.#count.addPart()
    if (this.#levels.length === this.#depth) this.#levels.push(new Level())
    this.#levels[this.#depth]!.start(at, isArray)
    checkDepth(++this.#depth)
  }

  #endItem(at: number): void {
    this.#count.addPart()
    const level = this.#levels[this.#depth - 1]
    if (this.#depth === 0 || !level) throw this.#invalid(at)
    if (level.hasItem) {
      this.#requireSpace(level.pending, at)
      level.hasItem = false
      level.pending = at + 1
    }
    if (at - this.#parsed >= this.#pieceLength) this.#parsePieces(at)
    level.itemStart = at + 1
  }

  #close(at: number, isArray: boolean): void {
    const level = this.#levels[this.#depth - 1]
    if (this.#depth === 0 || level?.isArray !== isArray) throw this.#invalid(at)
    this.#depth--
    if (level.value === undefined) return
    if (level.hasItem) this.#requireSpace(level.pending, at)
    else this.#addPiece(level, at)
    this.#parsed = at + 1
    const outer = this.#levels[this.#depth - 1]
    if (this.#depth > 0 && outer) outer.pending = at + 1
  }

  /** Parses everything before a comma of the innermost level. */
  #parsePieces(at: number): void {
    for (let depth = 0; depth < this.#depth; depth++) {
      const level = this.#levels[depth]!
      if (level.value === undefined) this.#attach(level, this.#levels[depth - 1])
    }
    const innermost = this.#levels[this.#depth - 1]!
    if (innermost.pending <= at) this.#addPiece(innermost, at)
    this.#parsed = at
  }

  /** Completes a level: its value becomes the current item of the outer level. */
  #attach(level: Level, outer: Level | undefined): void {
    const value: object = level.isArray ? [] : {}
    level.value = value
    // The bracket is before the first item.
    const bracket = level.pending - 1
    if (!outer) {
      this.#requireSpace(0, bracket)
      this.#root = value
      return
    }
    if (outer.itemStart > outer.pending) this.#addPiece(outer, outer.itemStart - 1)
    if (outer.isArray) {
      this.#requireSpace(outer.itemStart, bracket)
      ;(outer.value as unknown[]).push(value)
    } else Object.assign(outer.value!, this.#fieldWith(value, outer.itemStart, bracket))
    outer.hasItem = true
  }

  /** Finds a field with the name in this part of the text. */
  #fieldWith(value: object, start: number, end: number): object {
    const field = this.#parsePiece(`{${this.#text.slice(start, end)}null}`, start) as Record<string, unknown>
    for (const name in field) {
      // The parser would forbid it if it saw the value.
      if (name === 'constructor') throw this.#invalid(start)
      field[name] = value
    }
    return field
  }

  /** Adds the pending items before a position. */
  #addPiece(level: Level, end: number): void {
    const start = level.pending
    level.pending = end + 1
    const items = this.#text.slice(start, end)
    if (!nonWhitespace.test(items)) throw this.#invalid(start)
    const value = this.#parsePiece(level.isArray ? `[${items}]` : `{${items}}`, start)
    if (level.isArray) for (const item of value as unknown[]) (level.value as unknown[]).push(item)
    else Object.assign(level.value!, value)
  }

  #parsePiece(piece: string, start: number): unknown {
    try {
      return this.#parse(piece)
    } catch {
      throw this.#invalid(start)
    }
  }

  #requireSpace(start: number, end: number): void {
    if (nonWhitespace.test(this.#text.slice(start, end))) throw this.#invalid(start)
  }
}

/** Any character except JSON whitespace. */
const nonWhitespace = /[^ \t\n\r]/

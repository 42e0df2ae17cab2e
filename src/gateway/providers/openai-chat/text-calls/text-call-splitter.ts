import { measureHeldEnd } from '../held-end.ts'
import type { TextCall } from './text-call.ts'
import type { TextCallFormat } from './text-call-formats.ts'

/** A piece of a response without its calls, and the calls that are complete. */
export type SplitText = { text: string; calls: TextCall[] }

/** The pieces of an unfinished block. `mark` is empty for objects without one. */
type Block = { mark: string; pieces: string[] }

/**
 * Splits the text of one response, as it arrives, into text and calls. A block that contains anything but calls of declared
 * tools stays text.
 */
export class TextCallSplitter {
  readonly #format: TextCallFormat
  readonly #toolNames: ReadonlySet<string>
  /** Text that can be a part of a mark. */
  #held = ''
  /** Undefined outside of blocks. */
  #block: Block | undefined
  #isAtStart = true
  #isAfterCall = false

  constructor(format: TextCallFormat, toolNames: ReadonlySet<string>) {
    this.#format = format
    this.#toolNames = toolNames
  }

  push(piece: string): SplitText {
    const result: SplitText = { text: '', calls: [] }
    let rest: string | undefined = piece
    while (rest !== undefined && rest !== '')
      rest = this.#block ? this.#addToBlock(rest, this.#block, result) : this.#addText(rest, result)
    return result
  }

  /** The text that is still held, and the calls of a block without a mark at its end. */
  end(): SplitText {
    const result: SplitText = { text: '', calls: [] }
    const held = this.#held
    this.#held = ''
    if (this.#block) this.#closeBlock(this.#block, held, '', result)
    else this.#emit(held, result)
    return result
  }

  /** @returns the rest of the piece, after a mark. */
  #addText(piece: string, result: SplitText): string | undefined {
    const text = this.#held + piece
    this.#held = ''
    const { opening, startsBare } = this.#format
    const trimmed = this.#isAtStart ? text.trimStart() : ''
    const isBare = trimmed === '' ? false : startsBare?.(trimmed, this.#toolNames)
    if (isBare) {
      this.#block = { mark: '', pieces: [] }
      return text
    }
    if (isBare === undefined && startsBare) {
      this.#held = text
      return undefined
    }
    const at = text.indexOf(opening)
    if (at === -1) {
      const complete = text.length - measureHeldEnd(text, opening, maxHeldBlank)
      this.#held = text.slice(complete)
      this.#emit(text.slice(0, complete), result)
      return undefined
    }
    this.#emit(text.slice(0, at).trimEnd(), result)
    this.#block = { mark: opening, pieces: [] }
    return text.slice(at + opening.length)
  }

  /** @returns the rest of the piece, after the block. */
  #addToBlock(piece: string, block: Block, result: SplitText): string | undefined {
    const { closing } = this.#format
    if (closing === undefined || block.mark === '') {
      block.pieces.push(piece)
      return undefined
    }
    const text = this.#held + piece
    this.#held = ''
    const at = text.indexOf(closing)
    if (at === -1) {
      const complete = text.length - measureHeldEnd(text, closing, maxHeldBlank)
      this.#held = text.slice(complete)
      block.pieces.push(text.slice(0, complete))
      return undefined
    }
    this.#closeBlock(block, text.slice(0, at), closing, result)
    return text.slice(at + closing.length)
  }

  #closeBlock(block: Block, last: string, closing: string, result: SplitText): void {
    this.#block = undefined
    const content = block.pieces.join('') + last
    const calls = this.#format.readCalls(content)
    if (calls?.every(({ name }) => this.#toolNames.has(name))) {
      result.calls.push(...calls)
      this.#isAtStart = false
      this.#isAfterCall = true
    } else this.#emit(block.mark + content + closing, result)
  }

  /** Adds text, without white space after a call. */
  #emit(text: string, result: SplitText): void {
    const added = this.#isAfterCall ? text.trimStart() : text
    if (added === '') return
    this.#isAfterCall = false
    if (added.trim() !== '') this.#isAtStart = false
    result.text += added
  }
}

/** The most white space before a mark that is held back, to be removed. */
const maxHeldBlank = 8

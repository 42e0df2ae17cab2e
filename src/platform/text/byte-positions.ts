import { isFirstHalf } from './truncate.ts'

/** A part of a text, and its start in UTF-8 bytes and in UTF-16 units. */
type Part = { text: string; firstByte: number; firstUnit: number }

const partLength = 4096

/** Converts byte positions of a growing text to UTF-16 positions, in logarithmic time. */
export class BytePositions {
  readonly #parts: Part[] = [{ text: '', firstByte: 0, firstUnit: 0 }]

  add(text: string): void {
    for (let from = 0; from < text.length; from += partLength) this.#append(text.slice(from, from + partLength))
  }

  /** Returns the number of UTF-16 units in the first `bytes` bytes. */
  unitsIn(bytes: number): number {
    const { text, firstByte, firstUnit } = this.#partAt(bytes)
    return (
      firstUnit +
      Buffer.from(text)
        .subarray(0, Math.max(0, bytes - firstByte))
        .toString('utf8').length
    )
  }

  #append(text: string): void {
    let last = this.#parts.at(-1)!
    // Do not split a surrogate pair.
    if (last.text.length >= partLength && !isFirstHalf(last.text.charCodeAt(last.text.length - 1))) {
      const firstByte = last.firstByte + Buffer.byteLength(last.text)
      last = { text: '', firstByte, firstUnit: last.firstUnit + last.text.length }
      this.#parts.push(last)
    }
    last.text += text
  }

  #partAt(bytes: number): Part {
    let [low, high] = [0, this.#parts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.#parts[middle]!.firstByte <= bytes) low = middle
      else high = middle - 1
    }
    return this.#parts[low]!
  }
}

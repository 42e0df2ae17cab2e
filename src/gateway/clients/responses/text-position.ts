import type { Citation } from '#chat/events.ts'

/** Converts the position of a citation from the whole text to its text part. */
export class TextPosition {
  #start = 0
  #end = 0

  startPart(): void {
    this.#start = this.#end
  }

  addText(text: string): void {
    this.#end += text.length
  }

  toPartPosition({ start, end }: Citation): { start_index: number; end_index: number } {
    const within = (at: number) => Math.max(0, at - this.#start)
    return { start_index: within(start ?? this.#start), end_index: within(end ?? this.#end) }
  }
}

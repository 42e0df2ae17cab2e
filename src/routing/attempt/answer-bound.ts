import type { AnswerEvent } from '#chat/events.ts'

/** The longest answer that is held: of bytes as they are once unpacked, whichever way they came. */
const maxAnswerBytes = 64 * 1024 * 1024

/** Bytes that one tool call counts for besides its text, for the objects that hold it. */
const callBytes = 1024

/** Counts what is held of one answer, so that an upstream that never ends does not fill the memory. */
export class AnswerBound {
  #held = 0

  /** @throws Error when it is too much. */
  take(bytes: number): void {
    this.#held += bytes
    if (this.#held > maxAnswerBytes) throw new Error(`it is over ${maxAnswerBytes} bytes`)
  }

  /** Counts the text of a passed-through stream, which some protocols repeat as a whole at the end. */
  takeSaid(events: AnswerEvent[]): void {
    for (const event of events) {
      if ('text' in event) this.take(event.text.length)
      else if (event.type === 'tool_call') this.take(callBytes)
      else if (event.type === 'image') this.take(event.url.length)
      else if (event.type === 'citation')
        this.take(callBytes + (event.quote?.length ?? 0) + (event.url ?? event.file?.name ?? '').length)
    }
  }
}

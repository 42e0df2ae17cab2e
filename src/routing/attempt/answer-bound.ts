import type { AnswerEvent } from '#chat/events.ts'

/** The longest answer that is held: of bytes as they are once unpacked, whichever way they came. */
const maxAnswerBytes = 64 * 1024 * 1024

/** What a tool call weighs beside its text: an entry of its own in whatever is made of the answer. */
const callBytes = 1024

/** Counts what is held of one answer, so that an upstream that never ends does not fill the memory. */
export class AnswerBound {
  #held = 0

  /** @throws Error when it is too much. */
  take(bytes: number): void {
    this.#held += bytes
    if (this.#held > maxAnswerBytes) throw new Error(`it is over ${maxAnswerBytes} bytes`)
  }

  /** What was said in a stream that is passed on: writers of some protocols say it all again at its end. */
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

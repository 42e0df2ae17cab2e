import type { AnswerEvent } from '#chat/events.ts'
import { type SseEvent, SseReader } from '#platform/net/sse.ts'
import { EventTemplate } from '../protocol/event-template.ts'
import type { AnswerBound } from './answer-size-limit.ts'
import type { Receiver, TextEvent } from './receiver.ts'

/**
 * The events of one stream that are like an earlier one but for their text: most of them. They reach the receiver without
 * being parsed.
 */
export class AlikeEvents {
  readonly #template = new EventTemplate()
  readonly #read: (event: SseEvent) => AnswerEvent[]
  readonly #receiver: Receiver
  readonly #bound: AnswerBound
  /** What was read of the event that the template was learned from. */
  #events: AnswerEvent[] = []
  #textEvent: TextEvent | undefined

  /** @param bound counts what is said. */
  constructor(read: (event: SseEvent) => AnswerEvent[], receiver: Receiver, bound: AnswerBound) {
    this.#read = read
    this.#receiver = receiver
    this.#bound = bound
  }

  /** Delivers the events of that kind at the beginning of a chunk. @returns how many bytes they are. */
  deliver(chunk: Buffer): number {
    const textEvent = this.#textEvent
    if (!textEvent) return 0
    let at = 0
    for (let end = this.#template.find(chunk, 0); end !== -1; end = this.#template.find(chunk, at)) {
      this.#say(textEvent, chunk, at, end)
      at = end
    }
    return at
  }

  /** @param at where the event begins in its chunk, and `end` where it ends. */
  #say(textEvent: TextEvent, chunk: Buffer, at: number, end: number): void {
    const { from, to, escapes } = this.#template
    const bytes = to - from - escapes
    this.#bound.takePiece(bytes)
    if (this.#receiver.alike) return this.#receiver.alike.take(textEvent, bytes, this.#template, chunk)
    const json = chunk.toString('utf8', from, to)
    const text = escapes === 0 ? json : (JSON.parse(`"${json}"`) as string)
    this.#receiver.events(
      this.#events.map((event) => (event === textEvent ? { ...textEvent, text } : event)),
      chunk.subarray(at, end),
    )
  }

  /** Learns from an event that says one piece and nothing that counts besides. */
  learn(raw: Buffer, events: AnswerEvent[]): void {
    const textEvent = events.find(isTextEvent)
    if (!textEvent || !events.every((event) => event === textEvent || event.type === 'started')) return
    const isSaid = (bytes: Buffer, text: string) => {
      const expected = events.map((event) => (event === textEvent ? { ...textEvent, text } : event))
      return JSON.stringify(this.#readAlone(bytes)) === JSON.stringify(expected)
    }
    const change = (event: Buffer) => this.#receiver.alike?.change(event) ?? event
    if (!this.#template.learn(raw, textEvent.text, isSaid, change)) return
    // Copied: what was collected one by one has room for many more.
    this.#events = events.slice()
    this.#textEvent = textEvent
  }

  /** A text such as ":" also stands between a name and its value: what is put there is no JSON any more. */
  #readAlone(bytes: Buffer): AnswerEvent[] | undefined {
    try {
      return new SseReader().push(bytes).flatMap(this.#read)
    } catch {
      return undefined
    }
  }
}

function isTextEvent(event: AnswerEvent): event is TextEvent {
  return event.type === 'text' || event.type === 'reasoning'
}

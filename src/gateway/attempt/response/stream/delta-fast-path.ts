import type { CompletionEvent } from '#chat/events.ts'
import { SseReader } from '#platform/net/sse.ts'
import { EventTemplate } from '../../../protocol/event-template.ts'
import type { StreamReader } from '../../../protocol/provider-protocol.ts'
import type { Receiver, TextEvent } from '../receiver.ts'
import type { ResponseSizeLimit } from '../response-size-limit.ts'

/** Delivers stream events that differ from an earlier event only in their text, without parsing them. */
export class DeltaFastPath {
  readonly #template = new EventTemplate()
  readonly #read: StreamReader
  readonly #createReader: () => StreamReader
  readonly #receiver: Receiver
  readonly #sizeLimit: ResponseSizeLimit
  /** The parsed events of the event that the template was learned from. */
  #events: CompletionEvent[] = []
  #textEvent: TextEvent | undefined

  /**
   * @param read the reader of the stream.
   * @param createReader creates another reader of the same protocol.
   */
  constructor(
    { read, createReader }: { read: StreamReader; createReader: () => StreamReader },
    receiver: Receiver,
    sizeLimit: ResponseSizeLimit,
  ) {
    this.#read = read
    this.#createReader = createReader
    this.#receiver = receiver
    this.#sizeLimit = sizeLimit
  }

  /** Delivers the matching events at the start of a chunk. @returns their length in bytes. */
  deliver(chunk: Buffer): number {
    const textEvent = this.#textEvent
    if (!textEvent) return 0
    let start = 0
    for (let end = this.#template.find(chunk, 0); end !== -1; end = this.#template.find(chunk, start)) {
      this.#emit(textEvent, chunk, start, end)
      start = end
    }
    return start
  }

  /** Emits the event between `at` and `end` of the chunk. Its text is where the template found it. */
  #emit(textEvent: TextEvent, chunk: Buffer, at: number, end: number): void {
    const { from, to, escapes } = this.#template
    // An escape writes one byte of the text as two.
    const bytes = to - from - escapes
    this.#sizeLimit.addPiece(bytes)
    if (this.#receiver.deltas) return this.#receiver.deltas.take(textEvent, bytes, this.#template, chunk)
    const json = chunk.toString('utf8', from, to)
    const text = escapes === 0 ? json : (JSON.parse(`"${json}"`) as string)
    this.#receiver.onEvents(
      this.#events.map((event) => (event === textEvent ? { ...textEvent, text } : event)),
      chunk.subarray(at, end),
    )
  }

  /** Learns from an event whose only content is one piece of text. */
  learn(raw: Buffer, events: CompletionEvent[]): void {
    const textEvent = events.find(isTextEvent)
    if (!textEvent || !events.every((event) => event === textEvent || event.type === 'started')) return
    const matchesText = (bytes: Buffer, text: string) => {
      const expected = events.map((event) => (event === textEvent ? { ...textEvent, text } : event))
      const isAsExpected = JSON.stringify(readSingleEvent(this.#read, bytes)) === JSON.stringify(expected)
      // The reader of the stream holds back an end that comes while a call is open. Another reader returns it.
      return isAsExpected && (readSingleEvent(this.#createReader(), bytes) ?? []).every(isTextOrStart)
    }
    const rewriteForClient = (event: Buffer) => this.#receiver.deltas?.rewrite(event) ?? event
    if (!this.#template.learn(raw, textEvent.text, matchesText, rewriteForClient)) return
    // Copied, because an array that grew by appending reserves more memory.
    this.#events = events.slice()
    this.#textEvent = textEvent
  }
}

/**
 * Reads the bytes of one event. Undefined if they are not valid: while it learns, the template replaces the text by a probe
 * wherever it occurs, which breaks the JSON if the text is ":", for example.
 */
function readSingleEvent(read: StreamReader, bytes: Buffer): CompletionEvent[] | undefined {
  try {
    return new SseReader().push(bytes).flatMap(read)
  } catch {
    return undefined
  }
}

function isTextEvent(event: CompletionEvent): event is TextEvent {
  return event.type === 'text' || event.type === 'reasoning'
}

const isTextOrStart = (event: CompletionEvent) => isTextEvent(event) || event.type === 'started'

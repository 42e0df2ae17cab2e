import type { AnswerEvent } from '#chat/events.ts'
import type { EventTemplate } from '../protocol/event-template.ts'
import type { AttemptFailure } from './failure.ts'
import type { Exchange } from './upstream/upstream.ts'

/** Takes what an upstream answers. */
export type Receiver = {
  /** The first content of an answer: from now on no other endpoint is tried. */
  started: (exchange: Exchange) => void
  /**
   * What was read of one streamed event, whose bytes are `raw`, or of a whole answer, whose bytes are `whole`. The data
   * of an event is on one line of its bytes, however the upstream wrote it.
   */
  events: (events: AnswerEvent[], raw: Buffer | undefined, whole?: Buffer) => void
  /** For events that are like an earlier one but for their text. Without it they come as all others do. */
  alike?: AlikeReceiver | undefined
  /** Opens the response of a stream that has no content for a long time. */
  openEarly?: () => void
  /** No more events are at hand just now. */
  flush: () => void
  /** The answer is whole. */
  ended: () => void
  /** The answer broke off after it had started. */
  broke: (failure: AttemptFailure) => void
}

/** An event that says a piece of an answer. */
export type TextEvent = Extract<AnswerEvent, { type: 'text' | 'reasoning' }>

export type AlikeReceiver = {
  /** What the client gets for an event. */
  change: (raw: Buffer) => Buffer
  /** @param textEvent what the earlier event said. @param bytes how long the text of this one is, which `template` has found. */
  take: (textEvent: TextEvent, bytes: number, template: EventTemplate, chunk: Buffer) => void
}

import type { AnswerEvent } from '#chat/events.ts'
import type { EventTemplate } from '../../protocol/event-template.ts'
import type { AttemptFailure } from '../failure/failure.ts'
import type { Exchange } from '../upstream/upstream.ts'

/** A whole answer: as bytes, as text, and its value. */
export type WholeAnswer = { bytes: Buffer; text: string; body: unknown }

/** Receives the answer of an upstream. */
export type Receiver = {
  /** Called at the first content. After it, no other endpoint is tried. */
  started: (exchange: Exchange) => void
  /** Takes the parsed events of one stream event (bytes in `raw`, its data on one line) or of a whole answer (`whole`). */
  events: (events: AnswerEvent[], raw: Buffer | undefined, whole?: WholeAnswer) => void
  /** Takes text deltas without parsing. If undefined, `events` takes them. */
  deltas?: DeltaReceiver | undefined
  /** Opens the response of a stream that has no content for a long time. */
  openResponse?: () => void
  /** Called when no more events are available at the moment. */
  flush: () => void
  /** Called when the answer is complete. */
  ended: () => void
  /** Called if the answer broke off after it had started. */
  failed: (failure: AttemptFailure) => void
}

/** An event with a piece of text. */
export type TextEvent = Extract<AnswerEvent, { type: 'text' | 'reasoning' }>

export type DeltaReceiver = {
  /** Rewrites an event for the client. */
  rewrite: (raw: Buffer) => Buffer
  /**
   * Takes a text delta that `template` has found in `chunk`.
   * @param textEvent the event that the template was learned from. @param bytes the length of the new text.
   */
  take: (textEvent: TextEvent, bytes: number, template: EventTemplate, chunk: Buffer) => void
}

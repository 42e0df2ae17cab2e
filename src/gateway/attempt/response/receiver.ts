import type { CompletionEvent } from '#chat/events.ts'
import type { EventTemplate } from '../../protocol/event-template.ts'
import type { Exchange } from '../upstream/upstream.ts'

/** A whole response: as bytes, as text, and its value. */
export type WholeResponse = { bytes: Buffer; text: string; body: unknown }

/** Receives the response of an upstream. */
export type Receiver = {
  /** Called at the first content. After it, no other endpoint is tried. */
  onStart: (exchange: Exchange) => void
  /**
   * Takes the parsed events of one stream event or of a whole response (`whole`). `raw` is the stream event's bytes, with its data
   * joined in one `data:` line; undefined if the client cannot read them.
   */
  onEvents: (events: CompletionEvent[], raw: Buffer | undefined, wholeAnswer?: WholeResponse) => void
  /** Takes text deltas without parsing. If undefined, `events` takes them. */
  deltas?: DeltaReceiver | undefined
  /** Sends the client's response headers when a stream has no content for a long time. */
  openResponse?: () => void
  /** Called when no more events are available at the moment. */
  flush: () => void
  /** Called when the response is complete. @throws Error if it cannot be written. */
  onEnd: () => void
}

/** An event with a piece of text. */
export type TextEvent = Extract<CompletionEvent, { type: 'text' | 'reasoning' }>

/**
 * The fast path for stream events that differ from an earlier one only in their text (see `EventTemplate`): the text is found
 * in the bytes, without parsing JSON.
 */
export type DeltaReceiver = {
  /** Returns an upstream event as the client receives it. Called when the template learns from the event. */
  rewrite: (raw: Buffer) => Buffer
  /**
   * Takes the event that `template` has found in `chunk`.
   * @param textEvent the earlier event, which has another text. @param byteLength the length of the new text.
   */
  take: (textEvent: TextEvent, byteLength: number, template: EventTemplate, chunk: Buffer) => void
}

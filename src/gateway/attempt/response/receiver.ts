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
   * Takes the parsed content of one server-sent event, or of a whole response (`wholeResponse`). `raw` has the bytes of the
   * server-sent event, with its data joined in one `data:` line, to be passed on unchanged. It is undefined if the client uses
   * another protocol.
   */
  onEvents: (events: CompletionEvent[], raw: Buffer | undefined, wholeResponse?: WholeResponse) => void
  /** Takes text deltas without parsing. If undefined, `onEvents` takes them. */
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
  /**
   * Returns an upstream event as the client receives it. Called when an `EventTemplate` is created: the template finds the
   * later events that have the same bytes except for their text.
   */
  rewrite: (raw: Buffer) => Buffer
  /**
   * Takes the event that `template` has found in `chunk`. Its text starts at `template.from`.
   * @param textEvent the event that the template was created from, which has another text.
   * @param byteLength the length of the new text in `chunk`.
   */
  take: (textEvent: TextEvent, byteLength: number, template: EventTemplate, chunk: Buffer) => void
}

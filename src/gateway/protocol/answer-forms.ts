import type { SseEvent } from '#platform/net/sse.ts'

/** The kinds of content that a stream has sent before an event. */
export type StreamProgress = { hasText: boolean; hasCalls: boolean }

/**
 * Recognises answers in other forms than that of a protocol, which some servers and proxies send, and gives them the form of
 * the protocol. Readers and clients get only that form.
 */
export type AnswerForms = {
  /** Matches the data of events of this protocol, to recognise a server that uses another protocol. */
  mark: RegExp
  /** Whether a whole answer belongs to this protocol. */
  isOwn: (body: unknown) => boolean
  /** A fast check: true if an event certainly has the form of the protocol. */
  isUsual: (event: SseEvent) => boolean
  /** The content of an event in the form of the protocol. The same object if it has that form. */
  ofEvent: (content: object, progress: StreamProgress, name: string | undefined) => object
  /** A whole answer in the form of the protocol. The same object if it has that form. */
  ofAnswer: (body: unknown) => unknown
}

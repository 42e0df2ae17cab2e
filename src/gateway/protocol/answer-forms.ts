import type { Endpoint } from '#catalogue/index/model.ts'
import type { SseEvent } from '#platform/net/sse.ts'

/** The content that a stream has sent before an event, and how many choices the request asks for. */
export type StreamProgress = { hasText: boolean; hasCalls: boolean; hasSources: boolean; readonly choiceCount: number }

/**
 * Recognizes the answers of a protocol, and gives variants of servers and proxies its standard form
 * (docs/decisions/0286).
 */
export type AnswerForms = {
  /** Matches the data of events of this protocol, to recognize a server that uses another protocol. */
  eventPattern: RegExp
  /**
   * Matches the event that announces content. A stream without it before its first content is translated also for clients
   * of the same protocol, which would not know where the content belongs.
   */
  announcement?: RegExp
  /** Whether a whole answer belongs to this protocol. */
  isOwnAnswer: (body: unknown) => boolean
  /** Missing if clients never get the bytes of this protocol. Its reader then reads all forms. */
  normalizer?: Normalizer
  /** Changes the text of one stream, in this order, as the compatibility of the endpoint's server requires. */
  filters?: (options: FilterOptions) => EventFilter[]
}

/** `toolNames` are the names of the tools that the server got. Undefined if it got none. */
type FilterOptions = { endpoint: Endpoint; choiceCount: number; toolNames: ReadonlySet<string> | undefined }

/** Changes events of a stream. Events have the standard form of their protocol. */
export type EventFilter = {
  /** Returns the changed event, or the same one. */
  take: (event: SseEvent) => SseEvent
  /** Whether the rest of the stream needs no changes. */
  readonly isDone: boolean
  /** Returns events with the text that is still held at the end of the stream. */
  end: () => SseEvent[]
}

/** Gives answers the standard form of their protocol. Readers and clients get only that form. */
export type Normalizer = {
  /** A fast check: true if an event certainly has the standard form. */
  isStandard: (event: SseEvent) => boolean
  /** The content of an event in the standard form. The same object if it has that form. `name` is the SSE name of the event. */
  normalizeEvent: (content: object, progress: StreamProgress, name: string | undefined) => object
  /** A whole answer in the standard form. The same object if it has that form. */
  normalizeAnswer: (body: unknown, options: FilterOptions) => unknown
}

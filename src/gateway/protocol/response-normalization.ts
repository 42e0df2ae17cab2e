import type { Endpoint } from '#catalogue/index/model.ts'
import type { SseEvent } from '#platform/net/sse.ts'

/** The content that a stream has sent before an event, and how many choices the request asks for. */
export type StreamProgress = { hasText: boolean; hasCalls: boolean; hasSources: boolean; readonly choiceCount: number }

/**
 * Recognizes the responses of a protocol, and converts the variants of servers and proxies to the standard format
 * (docs/decisions/0286).
 */
export type ResponseNormalization = {
  /** Matches the data of events of this protocol, to recognize a server that uses another protocol. */
  eventPattern: RegExp
  /**
   * Matches the event that announces content. A stream that omits the event before its first content is also translated for
   * clients of the same protocol, because they could not assign the content to an item.
   */
  announcementPattern?: RegExp
  /** Whether a whole response belongs to this protocol. */
  isOwnResponse: (body: unknown) => boolean
  /** Undefined if clients never get the bytes of this protocol. The reader of the protocol then normalizes responses itself. */
  normalizer?: Normalizer
  /** Creates the filters of one stream, as the `compatibility` of the endpoint requires. They are applied in this order. */
  createFilters?: (options: FilterOptions) => EventFilter[]
}

/** `toolNames` are the names of the tools in the request to the server; undefined if there are none. */
type FilterOptions = { endpoint: Endpoint; choiceCount: number; toolNames: ReadonlySet<string> | undefined }

/** Changes the events of a stream, which are already in the standard format of their protocol. */
export type EventFilter = {
  /** Returns the changed event, or the same object if nothing changes. */
  filter: (event: SseEvent) => SseEvent
  /** Whether the rest of the stream needs no changes. */
  readonly isDone: boolean
  /** Returns events with the text that is still buffered at the end of the stream. */
  flush: () => SseEvent[]
}

/** Converts responses to the standard format of their protocol. Readers and clients get only that format. */
export type Normalizer = {
  /** A fast check: true if an event certainly has the standard format. False is inconclusive. */
  isStandard: (event: SseEvent) => boolean
  /**
   * Returns the content of an event in the standard format, or the same object if nothing changes.
   * @param name the SSE name of the event.
   */
  normalizeEvent: (content: object, progress: StreamProgress, name: string | undefined) => object
  /** Returns a whole response in the standard format, or the same object if nothing changes. */
  normalizeResponse: (body: unknown, options: FilterOptions) => unknown
}

import type { CompletionEvent } from '#chat/events.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { endMark } from '../../../protocol/end-mark.ts'
import type { ProviderProtocol, ResponseContext, StreamReader } from '../../../protocol/provider-protocol.ts'
import { defaultErrorMessage, errorWithoutResponse } from '../../../providers/errors/error-event.ts'
import type { AttemptRequest } from '../../attempt-request.ts'
import { isContent } from './content-hold.ts'
import { recognizeEvent } from './normalize-event.ts'

/** The protocol in which one stream arrives, with its reader. Some proxies respond in another protocol than the requested one. */
export class StreamProtocol {
  readonly #requested: ProviderProtocol
  readonly #adapt: AttemptRequest['adaptProtocol']
  readonly #context: ResponseContext
  /** Undefined until an event shows the protocol. */
  #recognized: ProviderProtocol | undefined
  #read: StreamReader
  /** Matches the event that must come before content. Undefined once that event or content has arrived. */
  #announcement: RegExp | undefined
  /** Content came without the announcement. */
  #isUnannounced = false

  constructor(requested: ProviderProtocol, adapt: AttemptRequest['adaptProtocol'], context: ResponseContext) {
    this.#requested = requested
    this.#adapt = adapt
    this.#context = context
    this.#read = requested.createReader(context)
    this.#announcement = requested.normalization?.announcementPattern
  }

  /** The current reader, for events that need neither normalization nor recognition of their protocol. */
  get reader(): StreamReader {
    return this.#read
  }

  /** Whether clients of the requested protocol cannot read the bytes: they are in another protocol, or lack the announcement. */
  get needsTranslation(): boolean {
    return this.#isUnannounced || (this.#recognized !== undefined && this.#recognized !== this.#requested)
  }

  /** Whether the end mark completes a response without a finish reason. */
  get endsByMark(): boolean {
    return (this.#recognized ?? this.#requested).isCompletedByEndMark === true
  }

  /** Reads an event. An event named `error` is an error, whatever its data. @throws Error if it violates the protocol. */
  read(event: SseEvent): CompletionEvent[] {
    this.#recognized ??= this.#recognize(event)
    if (event.event !== 'error') return this.#read(event)
    const body = parseJsonOr(event.data, undefined)
    const events = body === undefined ? [] : this.#read(event)
    if (events.some(({ type }) => type === 'error')) return events
    return [errorWithoutResponse(body ?? { message: event.data }, defaultErrorMessage)]
  }

  /** Reads the events that follow at the end of the stream. */
  readEnd(): CompletionEvent[] {
    return this.#read(endMark)
  }

  /** Checks that an announcement comes before the first content. @param events the content of the event. */
  checkAnnouncement({ data }: SseEvent, events: readonly CompletionEvent[]): void {
    if (!this.#announcement) return
    const isAnnounced = this.#announcement.test(data)
    const hasContent = events.some(({ type }) => isContent(type))
    this.#isUnannounced = hasContent && !isAnnounced
    if (hasContent || isAnnounced) this.#announcement = undefined
  }

  /** Ends the check, because a missing announcement no longer changes how the rest is sent. */
  skipAnnouncement(): void {
    this.#announcement = undefined
  }

  #recognize(event: SseEvent): ProviderProtocol | undefined {
    const protocol = recognizeEvent(event, this.#requested)
    if (protocol && protocol !== this.#requested)
      this.#read = (this.#adapt ? this.#adapt(protocol) : protocol).createReader(this.#context)
    return protocol
  }
}

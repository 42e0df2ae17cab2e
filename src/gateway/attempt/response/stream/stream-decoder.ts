import type { CompletionEvent } from '#chat/events.ts'
import { type SseEvent, SseReader } from '#platform/net/sse.ts'
import type { StreamReader } from '../../../protocol/provider-protocol.ts'
import type { StreamProgress } from '../../../protocol/response-normalization.ts'
import type { AttemptRequest } from '../../attempt-request.ts'
import { isKeepAlive, toSingleLineEvent } from '../event-text.ts'
import { JsonLines, splitByLine } from '../json-lines.ts'
import { EventFilters } from './event-filters.ts'
import { normalizeEvent, removeRepeatedEncoding, repairEvent } from './normalize-event.ts'
import { StreamProtocol } from './stream-protocol.ts'

/** Limits the bytes without an event. Keep-alives of an hour are a few kilobytes. */
const maxIdleBytes = 1024 * 1024

/** How the bytes of a stream are divided into events. */
export type StreamFraming = 'server_sent_events' | 'json_lines'

/** An event of a stream, in the form of its protocol. */
export type DecodedEvent = {
  /** The event as it was received, or normalized. */
  source: SseEvent
  events: CompletionEvent[]
  /** The bytes for clients of the same protocol. Undefined for a stream in another protocol, which must be translated. */
  raw: Buffer | undefined
  /** Whether an event with the same bytes, except its text, can be passed on without being decoded. */
  canBeTemplate: boolean
}

type DecodedAttempt = Pick<
  AttemptRequest,
  'providerProtocol' | 'adaptProtocol' | 'target' | 'choiceCount' | 'responseId' | 'outputLimit' | 'toolNames'
>

/** Splits a stream into events, gives them the form of their protocol, and reads them. */
export class StreamDecoder {
  readonly #normalizer: NonNullable<AttemptRequest['providerProtocol']['normalization']>['normalizer']
  readonly #sse = new SseReader(maxIdleBytes)
  readonly #jsonLines: JsonLines | undefined
  readonly #progress: StreamProgress
  readonly #protocol: StreamProtocol
  readonly #filters: EventFilters
  /** The last data that is not an event of the protocol, which can be the text of an error. */
  #otherText: string | undefined

  constructor(attempt: DecodedAttempt, framing: StreamFraming) {
    const { providerProtocol, adaptProtocol, target, choiceCount, responseId, outputLimit, toolNames } = attempt
    this.#normalizer = providerProtocol.normalization?.normalizer
    this.#progress = { hasText: false, hasCalls: false, hasSources: false, choiceCount }
    this.#jsonLines = framing === 'json_lines' ? new JsonLines() : undefined
    this.#protocol = new StreamProtocol(providerProtocol, adaptProtocol, { responseId, outputLimit, toolNames })
    const filters = providerProtocol.normalization?.createFilters?.({
      endpoint: target.endpoint,
      choiceCount,
      toolNames,
    })
    this.#filters = new EventFilters(filters ?? [])
  }

  /** Reads events that equal earlier ones except their text. */
  get reader(): StreamReader {
    return this.#protocol.reader
  }

  get isBetweenEvents(): boolean {
    return this.#sse.isBetweenEvents
  }

  /** Whether clients of the endpoint's protocol cannot read the bytes of the stream. */
  get needsTranslation(): boolean {
    return this.#protocol.needsTranslation
  }

  /** Whether the end mark completes a response without a finish reason. */
  get endsByMark(): boolean {
    return this.#protocol.endsByMark
  }

  get hasCalls(): boolean {
    return this.#progress.hasCalls
  }

  /** Text that an upstream sent instead of events; undefined if it is not a message. */
  get otherText(): string | undefined {
    return this.#otherText !== undefined && /[a-z]{2}/i.test(this.#otherText) ? this.#otherText : undefined
  }

  /** Returns the bytes of a chunk as server-sent events. */
  toServerSentEvents(chunk: Buffer): Buffer {
    return this.#jsonLines?.push(chunk) ?? chunk
  }

  /** Returns the complete events, after another part of the stream. */
  push(serverSentEvents: Buffer): SseEvent[] {
    return splitLines(this.#sse.push(serverSentEvents))
  }

  resetIdleBytes(): void {
    this.#sse.resetIdleBytes()
  }

  /** Returns the last events, which can lack their ends. */
  end(): SseEvent[] {
    const lastLines = this.#jsonLines ? this.push(this.#jsonLines.end()) : []
    return [...lastLines, ...splitLines(this.#sse.end())]
  }

  /** Returns events with the text that filters still hold. */
  takeHeldText(): SseEvent[] {
    return this.#filters.takeHeldText()
  }

  /** @returns undefined for a keep-alive. @throws Error for an event that cannot be read. */
  decode(received: SseEvent): DecodedEvent | undefined {
    const event = isKeepAlive(received) ? removeRepeatedEncoding(received) : received
    if (isKeepAlive(event)) {
      this.#otherText = event.data || this.#otherText
      return undefined
    }
    const { source, events } = this.#readNormalized(event)
    this.#noteProgress(events)
    this.#protocol.checkAnnouncement(source, events)
    // The usage event is read again to insert the cost, so it has its data on one line and nothing else.
    const keepsBytes = !source.data.includes('\n') && !events.some(({ type }) => type === 'usage')
    const bytes = keepsBytes ? source.raw : toSingleLineEvent(source)
    return {
      source,
      events,
      raw: this.needsTranslation ? undefined : bytes,
      // A filter must see each event, even after one that it did not change.
      canBeTemplate: keepsBytes && source === received && this.#filters.areDone,
    }
  }

  /** Notes that the client got a part of the stream. */
  markStarted(): void {
    this.#protocol.skipAnnouncement()
  }

  /** Reads the events that follow at the end of the stream. */
  readEnd(): CompletionEvent[] {
    const events = this.#protocol.readEnd()
    this.#noteProgress(events)
    return events
  }

  #noteProgress(events: readonly CompletionEvent[]): void {
    for (const { type } of events) {
      if (type === 'tool_call') this.#progress.hasCalls = true
      else if (type === 'text') this.#progress.hasText = true
      else if (type === 'citation') this.#progress.hasSources = true
    }
  }

  #readNormalized(event: SseEvent): { source: SseEvent; events: CompletionEvent[] } {
    const source = this.#normalize(event)
    try {
      return { source, events: this.#protocol.read(source) }
    } catch (error) {
      const repaired = repairEvent(source, error)
      if (!repaired) throw error
      const normalized = this.#normalize(repaired)
      return { source: normalized, events: this.#protocol.read(normalized) }
    }
  }

  #normalize(event: SseEvent): SseEvent {
    return this.#filters.apply(normalizeEvent(event, this.#normalizer, this.#progress))
  }
}

function splitLines(received: SseEvent[]): SseEvent[] {
  return received.some(({ data }) => data.includes('\n')) ? received.flatMap(splitByLine) : received
}

import type { AnswerEvent } from '#chat/events.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { type SseEvent, SseReader } from '#platform/net/sse.ts'
import type { EventFilter, StreamProgress } from '../../protocol/answer-forms.ts'
import { endMark } from '../../protocol/end-mark.ts'
import type { ProviderProtocol, StreamReader } from '../../protocol/provider-protocol.ts'
import { defaultErrorMessage, errorWithoutAnswer } from '../../providers/errors/error-event.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { isContent } from './content-hold.ts'
import { isKeepAlive, toSingleLineEvent } from './event-text.ts'
import { JsonLines, splitByLine } from './json-lines.ts'
import { normalizeEvent, recognizeEvent, removeRepeatedEncoding, repairEvent } from './normalize-event.ts'

/** Limits the bytes without an event. Keep-alives of an hour are a few kilobytes. */
const maxIdleBytes = 1024 * 1024

/** An event of a stream, in the form of its protocol. */
export type DecodedEvent = {
  /** The event as it was received, or normalized. */
  source: SseEvent
  events: AnswerEvent[]
  /** The bytes for clients of the same protocol. Undefined for a stream in another protocol, which must be translated. */
  raw: Buffer | undefined
  /** Whether `raw` equals the received bytes. */
  isUnchanged: boolean
}

type DecodedAttempt = Pick<
  AttemptRequest,
  'providerProtocol' | 'adaptProtocol' | 'target' | 'choiceCount' | 'answerId' | 'answerLimit' | 'toolNames'
>

/** Splits a stream into events, gives them the form of their protocol, and reads them. */
export class StreamDecoder {
  readonly #attempt: DecodedAttempt
  readonly #sse = new SseReader(maxIdleBytes)
  /** Set if each line of the stream is an event. */
  readonly #jsonLines: JsonLines | undefined
  readonly #progress: StreamProgress
  /** Matches the event that must come before content. Undefined once that event or content has arrived. */
  #announcement: RegExp | undefined
  /** Content came without the announcement. */
  #isUnannounced = false
  #read: StreamReader
  /** The protocol of the stream, once an event shows it. Some proxies answer in another one than requested. */
  #protocol: ProviderProtocol | undefined
  /** The last data that is not an event of the protocol, which can be the text of an error. */
  #otherText: string | undefined
  /** The filters that change the text of this stream. Those that are done are removed. */
  #filters: readonly EventFilter[]

  constructor(attempt: DecodedAttempt, { hasJsonLines }: { hasJsonLines: boolean }) {
    this.#attempt = attempt
    this.#progress = { hasText: false, hasCalls: false, hasSources: false, choiceCount: attempt.choiceCount }
    this.#jsonLines = hasJsonLines ? new JsonLines() : undefined
    this.#read = this.#createReader(attempt.providerProtocol)
    this.#announcement = attempt.providerProtocol.forms?.announcement
    const { choiceCount, toolNames, target } = attempt
    this.#filters =
      attempt.providerProtocol.forms?.filters?.({ endpoint: target.endpoint, choiceCount, toolNames }) ?? []
  }

  /** The current reader, for events that need neither normalization nor recognition of their protocol. */
  get read(): StreamReader {
    return this.#read
  }

  get isBetweenEvents(): boolean {
    return this.#sse.isBetweenEvents
  }

  /** Whether clients of the endpoint's protocol cannot read the bytes: they are in another one, or lack the announcement. */
  get isForeign(): boolean {
    return this.#isUnannounced || (this.#protocol !== undefined && this.#protocol !== this.#attempt.providerProtocol)
  }

  /** Whether the end mark completes an answer without a finish reason. */
  get endsByMark(): boolean {
    return (this.#protocol ?? this.#attempt.providerProtocol).endsByMark === true
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

  /** Whether an event can need changes, so that none can be passed on without being decoded. */
  get hasFilters(): boolean {
    return this.#filters.length > 0
  }

  /** Returns events with the text that filters still hold, because it can be the start of a tag such as `</think>`. */
  takeHeldText(): SseEvent[] {
    let events: SseEvent[] = []
    for (const filter of this.#filters) events = [...events.map(filter.take, filter), ...filter.end()]
    this.#filters = []
    return events
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
    if (this.#announcement) this.#checkAnnouncement(this.#announcement, source.data, events)
    // The usage event is read again to insert the cost, so it has its data on one line and nothing else.
    const hasReceivedBytes = !source.data.includes('\n') && !events.some(({ type }) => type === 'usage')
    const bytes = hasReceivedBytes ? source.raw : toSingleLineEvent(source)
    return {
      source,
      events,
      raw: this.isForeign ? undefined : bytes,
      isUnchanged: hasReceivedBytes && source === received,
    }
  }

  /** Notes that the client got a part of the stream, so a missing announcement no longer changes how the rest is sent. */
  markStarted(): void {
    this.#announcement = undefined
  }

  /** Reads the events that follow at the end of the stream. */
  readEndMark(): AnswerEvent[] {
    const events = this.#read(endMark)
    this.#noteProgress(events)
    return events
  }

  #checkAnnouncement(announcement: RegExp, data: string, events: readonly AnswerEvent[]): void {
    const isAnnounced = announcement.test(data)
    const hasContent = events.some(({ type }) => isContent(type))
    this.#isUnannounced = hasContent && !isAnnounced
    if (hasContent || isAnnounced) this.#announcement = undefined
  }

  #noteProgress(events: readonly AnswerEvent[]): void {
    for (const { type } of events) {
      if (type === 'tool_call') this.#progress.hasCalls = true
      else if (type === 'text') this.#progress.hasText = true
      else if (type === 'citation') this.#progress.hasSources = true
    }
  }

  #readNormalized(event: SseEvent): { source: SseEvent; events: AnswerEvent[] } {
    const source = this.#normalize(event)
    this.#protocol ??= this.#recognizeProtocol(source)
    try {
      return { source, events: this.#readEvent(source) }
    } catch (error) {
      const repaired = repairEvent(source, error)
      if (!repaired) throw error
      const normalized = this.#normalize(repaired)
      return { source: normalized, events: this.#readEvent(normalized) }
    }
  }

  #normalize(event: SseEvent): SseEvent {
    const normalized = normalizeEvent(event, this.#attempt.providerProtocol.forms?.normalizer, this.#progress)
    return this.hasFilters ? this.#filter(normalized) : normalized
  }

  #filter(event: SseEvent): SseEvent {
    const filtered = this.#filters.reduce((next, filter) => filter.take(next), event)
    this.#filters = this.#filters.filter(({ isDone }) => !isDone)
    return filtered
  }

  #recognizeProtocol(event: SseEvent): ProviderProtocol | undefined {
    const { providerProtocol, adaptProtocol } = this.#attempt
    const protocol = recognizeEvent(event, providerProtocol)
    if (protocol && protocol !== providerProtocol)
      this.#read = this.#createReader(adaptProtocol ? adaptProtocol(protocol) : protocol)
    return protocol
  }

  #createReader({ reader }: ProviderProtocol): StreamReader {
    const { answerId, answerLimit, toolNames } = this.#attempt
    return reader({ answerId, answerLimit, toolNames })
  }

  /** An event named `error` is an error, whatever its data. */
  #readEvent(event: SseEvent): AnswerEvent[] {
    if (event.event !== 'error') return this.#read(event)
    const body = parseJsonOr(event.data, undefined)
    const events = body === undefined ? [] : this.#read(event)
    if (events.some(({ type }) => type === 'error')) return events
    return [errorWithoutAnswer(body ?? { message: event.data }, defaultErrorMessage)]
  }
}

function splitLines(received: SseEvent[]): SseEvent[] {
  return received.some(({ data }) => data.includes('\n')) ? received.flatMap(splitByLine) : received
}

import type { SseEvent } from '#platform/net/sse.ts'
import { isEndMark } from '../../../protocol/end-mark.ts'
import type { AttemptRequest } from '../../attempt-request.ts'
import type { Delivery } from '../delivery.ts'
import { toErrorEvent } from '../event-text.ts'
import { splitJoined } from '../json-lines.ts'
import { type ErrorEvent, findErrorEvent } from '../response-failure.ts'
import type { ResponseReader } from '../response-reader.ts'
import { ResponseSizeLimit } from '../response-size-limit.ts'
import { ContentHold, endsHold, isContent } from './content-hold.ts'
import { DeltaFastPath } from './delta-fast-path.ts'
import { type DecodedEvent, StreamDecoder, type StreamFraming } from './stream-decoder.ts'

/** Limits consecutive events without content. Pings and events of provider tools are far fewer. */
const maxEmptyEvents = 100_000

/** How a stream ended: complete, broken off, or with an error that its provider reported. */
type StreamEnd = 'complete' | 'too_early' | ErrorEvent

/** Reads one stream, and delivers its events from the first content on. */
export class StreamResponse implements ResponseReader {
  readonly #decoder: StreamDecoder
  readonly #delivery: Delivery
  readonly #hold: ContentHold
  readonly #contentSize = new ResponseSizeLimit()
  /** Undefined if the client streams too. Otherwise it gets a whole response, which is buffered in memory. */
  readonly #receivedSize: ResponseSizeLimit | undefined
  #fastPath: DeltaFastPath | undefined
  /** Consecutive events without content. */
  #emptyEvents = 0
  #isFinished = false
  /** Content was read, perhaps before it was delivered. */
  #hasContent = false

  constructor(attempt: AttemptRequest, delivery: Delivery, framing: StreamFraming) {
    this.#decoder = new StreamDecoder(attempt, framing)
    this.#delivery = delivery
    this.#hold = new ContentHold(attempt.contentHoldMs, () => this.#openWithoutContent())
    this.#receivedSize = attempt.stream ? undefined : new ResponseSizeLimit()
    if (attempt.providerProtocol.isStateless) {
      const createReader = () => attempt.providerProtocol.createReader(attempt)
      const readers = { read: this.#decoder.reader, createReader }
      this.#fastPath = new DeltaFastPath(readers, delivery.receiver, this.#contentSize)
    }
  }

  /** Whether the finish event was read. Usage can follow. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  push(chunk: Buffer): StreamEnd | undefined {
    this.#receivedSize?.addBytes(chunk.length)
    const bytes = this.#decoder.toServerSentEvents(chunk)
    const deliveredBytes = this.#fastPath && this.#decoder.isBetweenEvents ? this.#fastPath.deliver(bytes) : 0
    if (deliveredBytes > 0) this.#decoder.resetIdleBytes()
    if (deliveredBytes < bytes.length)
      return this.#deliver(this.#decoder.push(deliveredBytes === 0 ? bytes : bytes.subarray(deliveredBytes)))
    this.#delivery.receiver.flush()
    return undefined
  }

  end(): StreamEnd {
    return (
      this.#deliver(this.#decoder.end()) ??
      this.#deliver(this.#decoder.takeHeldText()) ??
      this.#complete(this.#isFinished)
    )
  }

  /** Ends a stream after its finish event. Its usage and end mark can be missing. @throws Error as `end` does. */
  completeWithoutUsage(): StreamEnd {
    return this.#complete(true)
  }

  dispose(): void {
    this.#hold.stopTimer()
  }

  #deliver(received: readonly SseEvent[]): StreamEnd | undefined {
    for (const event of received) {
      const end = isEndMark(event) ? this.#endAtMark() : this.#deliverEvent(event)
      if (end) return end
    }
    if (this.#delivery.hasStarted) this.#delivery.receiver.flush()
    return undefined
  }

  /** Nothing follows the end mark, but some upstreams keep the connection open after it. */
  #endAtMark(): StreamEnd {
    return this.#deliver(this.#decoder.takeHeldText()) ?? this.#complete(this.#isFinished || this.#decoder.endsByMark)
  }

  #deliverEvent(event: SseEvent): StreamEnd | undefined {
    let decoded: DecodedEvent | undefined
    try {
      decoded = this.#decoder.decode(event)
    } catch (error) {
      const parts = error instanceof SyntaxError ? splitJoined(event) : undefined
      if (!parts) throw error
      return this.#deliver(parts)
    }
    const error = decoded && findErrorEvent(decoded.events)
    if (error) return error
    this.#countEmptyEvents(decoded?.events.some(endsHold) === true)
    if (!decoded) return undefined
    // Filters and readers can store any part of the received event.
    this.#contentSize.addEvent(event.raw, decoded.events)
    this.#pass(decoded)
    return undefined
  }

  #pass({ source, events, raw, canBeTemplate }: DecodedEvent): void {
    for (const { type } of events) {
      if (type === 'finish') this.#isFinished = true
      else if (isContent(type)) this.#hasContent = true
    }
    if (this.#decoder.needsTranslation) this.#fastPath = undefined
    if (!this.#delivery.hasStarted && !events.some(endsHold)) return this.#hold.add(events, raw)
    this.#startDelivery()
    this.#delivery.receiver.onEvents(events, raw)
    if (canBeTemplate) this.#fastPath?.learn(source.raw, events)
  }

  /** @throws Error after too many events in a row without content. */
  #countEmptyEvents(hasContent: boolean): void {
    this.#emptyEvents = hasContent ? 0 : this.#emptyEvents + 1
    if (this.#emptyEvents > maxEmptyEvents) throw new Error(`${maxEmptyEvents} events in a row have no content`)
  }

  #startDelivery(): void {
    if (this.#delivery.hasStarted) return
    this.#decoder.markStarted()
    this.#delivery.start()
    const { needsTranslation: isForeign } = this.#decoder
    for (const { events, raw } of this.#hold.take())
      this.#delivery.receiver.onEvents(events, isForeign ? undefined : raw)
  }

  /** Opens the response without content after the hold time. No other endpoint is tried after that. */
  #openWithoutContent(): void {
    this.#startDelivery()
    this.#delivery.receiver.flush()
    this.#delivery.receiver.openResponse?.()
  }

  /** @param canBeComplete whether a response with content is complete even if no finish event follows. */
  #complete(canBeComplete: boolean): StreamEnd {
    const finalEvents = this.#decoder.readEnd()
    const hasFinalFinish = finalEvents.some(({ type }) => type === 'finish')
    const hasContent = this.#isFinished || this.#hasContent || finalEvents.some(({ type }) => isContent(type))
    if (!(canBeComplete && hasContent) && !hasFinalFinish) return this.#endTooEarly()
    if (!this.#isFinished && !hasFinalFinish)
      finalEvents.push({ type: 'finish', reason: this.#decoder.hasCalls ? 'tool_calls' : 'stop', native: undefined })
    this.#startDelivery()
    if (finalEvents.length > 0) this.#delivery.receiver.onEvents(finalEvents, undefined)
    return 'complete'
  }

  /** Text that arrived instead of events is the error of a server or a proxy. */
  #endTooEarly(): StreamEnd {
    const { otherText } = this.#decoder
    return otherText !== undefined && !this.#hasContent ? toErrorEvent(otherText) : 'too_early'
  }
}

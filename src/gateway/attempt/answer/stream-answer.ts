import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { isEndMark } from '../../protocol/end-mark.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { AnswerSizeLimit } from './answer-size-limit.ts'
import { ContentHold, endsHold, isContent } from './content-hold.ts'
import { DeltaFastPath } from './delta-fast-path.ts'
import { toErrorEvent } from './event-text.ts'
import { splitJoined } from './json-lines.ts'
import type { Receiver } from './receiver.ts'
import { type DecodedEvent, StreamDecoder } from './stream-decoder.ts'

/** Limits consecutive events without content. Pings and events of provider tools are far fewer. */
const maxEmptyEvents = 100_000

/** How a stream ended: complete, broken off, or with an error that its provider reported. */
export type StreamEnd = 'complete' | 'too_early' | Extract<AnswerEvent, { type: 'error' }>

/** Reads one stream, and passes its events to the receiver from the first content on. */
export class StreamAnswer {
  readonly #decoder: StreamDecoder
  readonly #receiver: Receiver
  readonly #onStart: () => void
  readonly #hold: ContentHold
  readonly #contentSize = new AnswerSizeLimit()
  #fastPath: DeltaFastPath | undefined
  /** Consecutive events without content. */
  #emptyEvents = 0
  /** Events were passed to the receiver, so no other endpoint can be tried. */
  #isDelivering = false
  /** The finish event was read. Usage can follow. */
  #isFinished = false
  /** Content was read, perhaps before it was passed to the receiver. */
  #hasContent = false

  /** @param onStart is called before the first event is passed to the receiver. */
  constructor(attempt: AttemptRequest, hasJsonLines: boolean, receiver: Receiver, onStart: () => void) {
    const { providerProtocol, contentHoldMs } = attempt
    this.#decoder = new StreamDecoder(attempt, { hasJsonLines })
    this.#receiver = receiver
    this.#onStart = onStart
    this.#hold = new ContentHold(contentHoldMs, () => this.#openWithoutContent())
    if (providerProtocol.isStateless)
      this.#fastPath = new DeltaFastPath(this.#decoder.read, receiver, this.#contentSize)
  }

  /** Whether the finish event was read. Usage can follow. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  /** @returns undefined while more can follow. @throws Error for a stream that cannot be read. */
  push(chunk: Buffer): StreamEnd | undefined {
    const bytes = this.#decoder.toServerSentEvents(chunk)
    const deliveredBytes = this.#fastPath && this.#decoder.isBetweenEvents ? this.#fastPath.deliver(bytes) : 0
    if (deliveredBytes > 0) this.#decoder.resetIdleBytes()
    if (deliveredBytes < bytes.length)
      return this.#deliver(this.#decoder.push(deliveredBytes === 0 ? bytes : bytes.subarray(deliveredBytes)))
    this.#receiver.flush()
    return undefined
  }

  /** Reads the end of the stream. @throws Error for a stream that cannot be read. */
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

  stopHoldTimer(): void {
    this.#hold.stopTimer()
  }

  #deliver(received: SseEvent[]): StreamEnd | undefined {
    for (const event of received) {
      // Nothing follows the end mark, but some upstreams keep the connection open after it.
      if (isEndMark(event))
        return (
          this.#deliver(this.#decoder.takeHeldText()) ?? this.#complete(this.#isFinished || this.#decoder.endsByMark)
        )
      const decoded = this.#decode(event)
      if (Array.isArray(decoded)) {
        const end = this.#deliver(decoded)
        if (end) return end
        continue
      }
      const error = decoded?.events.find(({ type }) => type === 'error')
      if (error) return error as StreamEnd
      this.#countEmptyEvents(decoded?.events.some(endsHold) === true)
      if (!decoded) continue
      // Filters and readers can store any part of the received event.
      this.#contentSize.addEvent(event.raw, decoded.events)
      this.#pass(decoded)
    }
    if (this.#isDelivering) this.#receiver.flush()
    return undefined
  }

  /** @returns a list if several events were joined to one. @throws Error for an event that cannot be read. */
  #decode(event: SseEvent): DecodedEvent | SseEvent[] | undefined {
    try {
      return this.#decoder.decode(event)
    } catch (error) {
      const joined = error instanceof SyntaxError ? splitJoined(event) : undefined
      if (!joined) throw error
      return joined
    }
  }

  #pass({ source, events, raw, isUnchanged }: DecodedEvent): void {
    for (const { type } of events) {
      if (type === 'finish') this.#isFinished = true
      else if (isContent(type)) this.#hasContent = true
    }
    if (this.#decoder.isForeign) this.#fastPath = undefined
    if (!this.#isDelivering && !events.some(endsHold)) return this.#hold.add(events, raw)
    this.#startDelivery()
    this.#receiver.events(events, raw)
    // A filter must see each event, even after one that it did not change.
    if (isUnchanged && !this.#decoder.hasFilters) this.#fastPath?.learn(source.raw, events)
  }

  /** @throws Error after too many events in a row without content. */
  #countEmptyEvents(hasContent: boolean): void {
    this.#emptyEvents = hasContent ? 0 : this.#emptyEvents + 1
    if (this.#emptyEvents > maxEmptyEvents) throw new Error(`${maxEmptyEvents} events in a row have no content`)
  }

  #startDelivery(): void {
    if (this.#isDelivering) return
    this.#isDelivering = true
    this.#decoder.markStarted()
    this.#onStart()
    const { isForeign } = this.#decoder
    for (const { events, raw } of this.#hold.take()) this.#receiver.events(events, isForeign ? undefined : raw)
  }

  /** Opens the response without content after the hold time. No other endpoint is tried after that. */
  #openWithoutContent(): void {
    this.#startDelivery()
    this.#receiver.flush()
    this.#receiver.openResponse?.()
  }

  /** @param canBeComplete whether an answer with content is complete even if no finish event follows. */
  #complete(canBeComplete: boolean): StreamEnd {
    const finalEvents = this.#decoder.readEndMark()
    const hasFinalFinish = finalEvents.some(({ type }) => type === 'finish')
    const hasContent = this.#isFinished || this.#hasContent || finalEvents.some(({ type }) => isContent(type))
    if (!(canBeComplete && hasContent) && !hasFinalFinish) return this.#endTooEarly()
    if (!this.#isFinished && !hasFinalFinish)
      finalEvents.push({ type: 'finish', reason: this.#decoder.hasCalls ? 'tool_calls' : 'stop', native: undefined })
    this.#startDelivery()
    if (finalEvents.length > 0) this.#receiver.events(finalEvents, undefined)
    return 'complete'
  }

  /** Text that arrived instead of events is the error of a server or a proxy. */
  #endTooEarly(): StreamEnd {
    const { otherText } = this.#decoder
    return otherText !== undefined && !this.#hasContent ? toErrorEvent(otherText) : 'too_early'
  }
}

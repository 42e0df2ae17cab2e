import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { isEndMark } from '../../protocol/tool-calls/readers.ts'
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

/** How a stream ended: complete, before its end, or with an error of its provider. */
export type StreamEnd = 'complete' | 'too_early' | Extract<AnswerEvent, { type: 'error' }>

/** Reads one stream, and passes its events to the receiver from the first content on. */
export class StreamAnswer {
  readonly #decoder: StreamDecoder
  readonly #receiver: Receiver
  readonly #start: () => void
  readonly #hold: ContentHold
  readonly #contentSize = new AnswerSizeLimit()
  #fastPath: DeltaFastPath | undefined
  #emptyEvents = 0
  #isStarted = false
  #isFinished = false
  #hasContent = false

  /** @param start is called before the first event is passed to the receiver. */
  constructor(attempt: AttemptRequest, hasJsonLines: boolean, receiver: Receiver, start: () => void) {
    const { providerProtocol, contentHoldMs } = attempt
    this.#decoder = new StreamDecoder(attempt, { hasJsonLines })
    this.#receiver = receiver
    this.#start = start
    this.#hold = new ContentHold(contentHoldMs, () => this.#openWithoutContent())
    if (providerProtocol.isStateless && !this.#decoder.hasLastingFilters)
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

  /** Ends a finished stream whose usage or end mark can be missing. @throws Error for a stream that cannot be read. */
  completeFinished(): StreamEnd {
    return this.#complete(true)
  }

  stopWaiting(): void {
    this.#hold.stop()
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
      if (decoded) this.#pass(decoded)
    }
    if (this.#isStarted) this.#receiver.flush()
    return undefined
  }

  /** @returns the events of an event with several. @throws Error for an event that cannot be read. */
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
    this.#contentSize.addEvent(source.raw, events)
    for (const { type } of events) {
      if (type === 'finish') this.#isFinished = true
      else if (isContent(type)) this.#hasContent = true
    }
    if (this.#decoder.isForeign) this.#fastPath = undefined
    if (!this.#isStarted && !events.some(endsHold)) return this.#hold.add(events, raw)
    this.#startOnce()
    this.#receiver.events(events, raw)
    if (isUnchanged) this.#fastPath?.learn(source.raw, events)
  }

  /** @throws Error after too many events in a row without content. */
  #countEmptyEvents(hasContent: boolean): void {
    this.#emptyEvents = hasContent ? 0 : this.#emptyEvents + 1
    if (this.#emptyEvents > maxEmptyEvents) throw new Error(`${maxEmptyEvents} events in a row have no content`)
  }

  #startOnce(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#decoder.markStarted()
    this.#start()
    const { isForeign } = this.#decoder
    for (const { events, raw } of this.#hold.take()) this.#receiver.events(events, isForeign ? undefined : raw)
  }

  /** Opens the response without content after the hold time. No other endpoint is tried after that. */
  #openWithoutContent(): void {
    this.#startOnce()
    this.#receiver.flush()
    this.#receiver.openResponse?.()
  }

  /** @param canBeComplete whether an answer with content is complete without further events. */
  #complete(canBeComplete: boolean): StreamEnd {
    const finalEvents = this.#decoder.readEndMark()
    const endsNow = finalEvents.some(({ type }) => type === 'finish')
    const hasContent = this.#isFinished || this.#hasContent || finalEvents.some(({ type }) => isContent(type))
    if (!(canBeComplete && hasContent) && !endsNow) return this.#endTooEarly()
    if (!this.#isFinished && !endsNow)
      finalEvents.push({ type: 'finish', reason: this.#decoder.hasCalls ? 'tool_calls' : 'stop', native: undefined })
    this.#startOnce()
    if (finalEvents.length > 0) this.#receiver.events(finalEvents, undefined)
    return 'complete'
  }

  /** Text in place of events is the error of a server or a proxy. */
  #endTooEarly(): StreamEnd {
    const { otherText } = this.#decoder
    return otherText !== undefined && !this.#hasContent ? toErrorEvent(otherText) : 'too_early'
  }
}

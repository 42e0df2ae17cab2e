import type { AnswerEvent } from '#chat/events.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { ByteBuffer } from '#platform/text/byte-buffer.ts'
import { decodeUtf8, withoutByteOrderMark } from '#platform/text/decode-bytes.ts'
import type { BodyReader } from '../protocol/protocol.ts'
import { isEndMark } from '../protocol/tool-calls/readers.ts'
import { readPageText, readRefusalFacts } from '../providers/error-code.ts'
import { AnswerSizeLimit } from './answer-size-limit.ts'
import type { AttemptRequest } from './attempt-request.ts'
import { ContentHold, endsHold, isContent } from './content-hold.ts'
import { DeltaFastPath } from './delta-fast-path.ts'
import { isOtherText, looksLikeEventStream, parseJson, startsBody } from './event-text.ts'
import { type AttemptFailure, failureFromStatus, failureFromTransport } from './failure.ts'
import { isJsonLines, isJsonLinesType } from './json-lines.ts'
import { maskSecrets } from './mask-secrets.ts'
import {
  parseAnswer,
  readErrorField,
  recognizeAnswer,
  repairAnswer,
  replaceBody,
  toErrorEvent,
} from './normalize-answer.ts'
import type { Receiver, WholeAnswer } from './receiver.ts'
import { reportedFailure } from './reported-failure.ts'
import { StreamDecoder } from './stream-decoder.ts'
import type { Exchange, Sink, TransportFailure } from './upstream/upstream.ts'
import { readBodyWait, readRetryAfter, readTimeToReset } from './wait-times.ts'

/** The maximum number of bytes that are read after the end of an answer to find its usage. */
const maxUsageBytes = 1024 * 1024

/** The maximum number of bytes that are read of an unfinished answer after its client disconnected. */
const maxBackgroundBytes = 8 * 1024 * 1024

/** The content of a whole answer of at most this size is not checked: it cannot fill the memory. */
const maxUncheckedBytes = 64 * 1024

/** Limits events without content in a row. Pings and events of provider tools are far fewer. */
const maxEmptyEvents = 100_000

/** Longer errors are truncated, because they are buffered in memory. */
const maxErrorBytes = 64 * 1024

/** How long a stream is held back for its first content, unless the attempt says otherwise. */
const defaultHoldMs = 15_000

/** An unusable answer. The provider may have generated and billed all of it. */
const unusableAnswer: AttemptFailure = { ...failureFromStatus(502, undefined), wasSent: true }

/** Reads the answer of one attempt for its receiver, and rejects answers that violate the protocol. */
export class AttemptAnswer implements Sink {
  exchange: Exchange | undefined
  firstByteMs: number | undefined
  readonly #startedAt = performance.now()
  readonly #attempt: AttemptRequest
  readonly #receiver: Receiver
  readonly #now: () => number
  readonly #settle: (failure: AttemptFailure | undefined) => void
  /** Set when a stream starts, like the next two. */
  #stream!: StreamDecoder
  #hold: ContentHold | undefined
  #fastPath: DeltaFastPath | undefined
  #status = 0
  /** The time that the provider asks to wait, and the time until its rate limit is reset. */
  #retryAfterMs: number | undefined
  #resetMs: number | undefined
  #wholeBody: ByteBuffer | undefined
  /** Reads a long body in place of `#wholeBody`. */
  #bodyReader: BodyReader | undefined
  readonly #receivedSize = new AnswerSizeLimit()
  readonly #contentSize = new AnswerSizeLimit()
  #emptyEvents = 0
  /** Events were passed to the receiver. */
  #started = false
  /** The finish event was read. Usage can follow. */
  #finished = false
  #hasContent = false
  /** Whether a body can follow, although the upstream announced a stream: until the first bytes. */
  #canBeBody = false
  /** The attempt has ended. */
  #isOver = false
  #usageTimer: NodeJS.Timeout | undefined
  #endBackgroundRead: (() => void) | undefined
  /** The number of bytes that are still read after the client disconnected. */
  #remainingBytes = Number.POSITIVE_INFINITY

  constructor(
    attempt: AttemptRequest,
    receiver: Receiver,
    now: () => number,
    settle: (failure: AttemptFailure | undefined) => void,
  ) {
    this.#attempt = attempt
    this.#receiver = receiver
    this.#now = now
    this.#settle = settle
  }

  head(status: number, headers: Parameters<Sink['head']>[1]): void {
    this.firstByteMs = Math.round(performance.now() - this.#startedAt)
    this.#status = status
    this.#retryAfterMs = readRetryAfter(headers, this.#now())
    if (status >= 400) this.#resetMs = readTimeToReset(headers, this.#now())
    this.#bodyReader = status < 300 ? this.#attempt.bodyReader?.() : undefined
    if (this.#bodyReader) return
    const type = String(headers['content-type'])
    if (status < 300 && isJsonLinesType(type)) this.#startStream({ hasJsonLines: true })
    else if (status < 300 && /event-stream/i.test(type)) {
      this.#startStream({ hasJsonLines: false })
      this.#canBeBody = true
    } else this.#wholeBody = new ByteBuffer()
  }

  #startStream({ hasJsonLines }: { hasJsonLines: boolean }): void {
    const { providerProtocol, contentHoldMs = defaultHoldMs } = this.#attempt
    this.#wholeBody = undefined
    this.#stream = new StreamDecoder(this.#attempt, { hasJsonLines })
    this.#hold = new ContentHold(contentHoldMs, () => this.#openWithoutContent())
    if (providerProtocol.isStateless)
      this.#fastPath = new DeltaFastPath(this.#stream.read, this.#receiver, this.#contentSize)
  }

  data(chunk: Buffer): void {
    // An upstream could send bytes after the end forever.
    if (this.#isOver) return this.exchange?.abort()
    try {
      this.#readChunk(chunk)
    } catch (error) {
      this.#failUnreadable(error as Error)
    }
  }

  end(): void {
    if (this.#isOver) return
    try {
      this.#end()
    } catch (error) {
      this.#failUnreadable(error as Error)
    }
  }

  /** A connection that breaks after the last content has delivered the whole answer, except perhaps its usage. */
  failed(failure: TransportFailure): void {
    if (!this.#finished || this.#isOver || failure.kind === 'aborted') return this.#fail(failureFromTransport(failure))
    try {
      this.#endStream(true)
    } catch (error) {
      this.#failUnreadable(error as Error)
    }
  }

  /**
   * Handles a client that disconnected. A finished answer is read to its usage, which comes last. An unfinished one is
   * read too if only its usage shows what it costs, or else cancelled at once.
   */
  onClientDisconnect(): void {
    const abort = () => this.exchange?.abort()
    if (this.#isOver) return abort()
    if (this.#finished) {
      this.#remainingBytes = maxUsageBytes
      this.#usageTimer = setTimeout(abort, this.#attempt.deadlines.usageMs)
    } else {
      this.#remainingBytes = maxBackgroundBytes
      this.#endBackgroundRead = this.#isSent ? this.#startBackgroundRead(abort) : undefined
      if (!this.#endBackgroundRead) return abort()
    }
    // The upstream may have been paused for a slow client.
    this.exchange?.resume()
  }

  get #isSent(): boolean {
    return this.exchange?.connectMs !== undefined
  }

  #startBackgroundRead(abort: () => void): (() => void) | undefined {
    const { backgroundRead } = this.#attempt
    return backgroundRead?.isNeeded() ? backgroundRead.slots.take(abort) : undefined
  }

  stopWaiting(): void {
    clearTimeout(this.#usageTimer)
    this.#endBackgroundRead?.()
    this.#hold?.stop()
  }

  #readChunk(chunk: Buffer): void {
    this.#remainingBytes -= chunk.length
    if (this.#remainingBytes < 0) return this.exchange?.abort()
    if (this.#bodyReader) {
      this.#receivedSize.addBytes(chunk.length)
      this.#bodyReader.push(chunk)
    } else if (this.#wholeBody) this.#readBody(chunk, this.#wholeBody)
    else if (this.#canBeBody && chunk.length > 0) this.#readFirstChunk(chunk)
    else this.#readStream(this.#stream.toServerSentEvents(chunk))
  }

  #readFirstChunk(chunk: Buffer): void {
    this.#canBeBody = false
    if (startsBody(chunk)) this.#readBody(chunk, this.#startBody())
    else this.#readStream(chunk)
  }

  /** Some servers send an error or a whole answer without the fields of events, although they announce a stream. */
  #startBody(): ByteBuffer {
    this.#fastPath = undefined
    this.#wholeBody = new ByteBuffer()
    return this.#wholeBody
  }

  #failUnreadable({ message }: Error): void {
    const cause = maskSecrets(message, this.#attempt.credential)
    this.#fail({
      ...unusableAnswer,
      reason: 'an answer that cannot be read',
      message: `The provider's answer cannot be read: ${cause}.`,
    })
    this.exchange?.abort()
  }

  #readBody(chunk: Buffer, whole: ByteBuffer): void {
    if (this.#status < 300 && whole.byteLength === 0 && looksLikeEventStream(chunk)) {
      this.#startStream({ hasJsonLines: false })
      return this.#readStream(chunk)
    }
    whole.add(chunk)
    if (this.#status < 300) return this.#receivedSize.addBytes(chunk.length)
    if (whole.byteLength <= maxErrorBytes) return
    this.#end()
    this.exchange?.abort()
  }

  #readStream(chunk: Buffer): void {
    // A client that did not ask for a stream gets a whole answer, even if the upstream streams.
    if (!this.#attempt.stream) this.#receivedSize.addBytes(chunk.length)
    const deliveredBytes = this.#fastPath && this.#stream.isBetweenEvents ? this.#fastPath.deliver(chunk) : 0
    if (deliveredBytes > 0) this.#stream.resetIdleBytes()
    if (deliveredBytes === chunk.length) this.#receiver.flush()
    else this.#deliver(this.#stream.push(deliveredBytes === 0 ? chunk : chunk.subarray(deliveredBytes)))
  }

  #deliver(received: SseEvent[]): void {
    for (const receivedEvent of received) {
      // Nothing follows the end mark, but some upstreams keep the connection open after it.
      if (isEndMark(receivedEvent)) {
        this.#deliver(this.#stream.takeHeldText())
        return this.#endStream(this.#finished || this.#stream.endsByMark)
      }
      const decoded = this.#stream.decode(receivedEvent)
      const events = decoded?.events ?? []
      const error = events.find((event) => event.type === 'error')
      if (error) return this.#upstreamError(error)
      this.#countEmptyEvents(events)
      if (!decoded) continue
      const { source, raw, isUnchanged } = decoded
      this.#contentSize.addEvent(source.raw, events)
      for (const { type } of events) {
        if (type === 'finish') this.#finished = true
        else if (isContent(type)) this.#hasContent = true
      }
      if (this.#stream.isForeign) this.#fastPath = undefined
      if (!this.#started && !events.some(endsHold)) {
        this.#hold!.add(events, raw)
        continue
      }
      this.#start()
      this.#receiver.events(events, raw)
      if (isUnchanged) this.#fastPath?.learn(source.raw, events)
    }
    if (this.#started) this.#receiver.flush()
  }

  /** @throws Error after too many events in a row without content. */
  #countEmptyEvents(answerEvents: AnswerEvent[]): void {
    this.#emptyEvents = answerEvents.length === 0 ? this.#emptyEvents + 1 : 0
    if (this.#emptyEvents > maxEmptyEvents) throw new Error(`${maxEmptyEvents} events in a row have no content`)
  }

  #start(): void {
    if (this.#started) return
    this.#started = true
    if (this.exchange) this.#receiver.started(this.exchange)
    for (const { events, raw } of this.#hold?.take() ?? []) this.#receiver.events(events, raw)
  }

  /** Opens the response without content after the hold time. No other endpoint is tried after that. */
  #openWithoutContent(): void {
    if (this.#isOver || this.#started) return
    this.#start()
    this.#receiver.flush()
    this.#receiver.openResponse?.()
  }

  #end(): void {
    if (this.#bodyReader) return this.#deliverWhole(this.#bodyReader.end(), undefined)
    if (this.#wholeBody) return this.#endWholeBody(withoutByteOrderMark(this.#wholeBody.take()))
    this.#deliver(this.#stream.end())
    if (!this.#isOver) this.#deliver(this.#stream.takeHeldText())
    if (this.#isOver) return
    this.#endStream(this.#finished)
  }

  /** @param canBeComplete whether an answer with content is complete without further events. */
  #endStream(canBeComplete: boolean): void {
    const finalEvents = this.#stream.readEndMark()
    const endsNow = finalEvents.some(({ type }) => type === 'finish')
    const hasContent = this.#finished || this.#hasContent || finalEvents.some(({ type }) => isContent(type))
    if (!(canBeComplete && hasContent) && !endsNow) return this.#endTooEarly()
    if (!this.#finished && !endsNow)
      finalEvents.push({ type: 'finish', reason: this.#stream.hasCalls ? 'tool_calls' : 'stop', native: undefined })
    this.#start()
    if (finalEvents.length > 0) this.#receiver.events(finalEvents, undefined)
    this.#finish()
  }

  #endTooEarly(): void {
    const { otherText } = this.#stream
    if (otherText !== undefined && !this.#hasContent) return this.#upstreamError(toErrorEvent(otherText))
    this.#fail({
      ...unusableAnswer,
      reason: 'an answer that ended too early',
      message: 'The provider ended its answer too early.',
    })
  }

  #endWholeBody(bytes: Buffer): void {
    const text = decodeUtf8(bytes)
    if (this.#status >= 300) {
      const body = parseJson(text)
      const message = String(this.#attempt.providerProtocol.errorMessage(body) || readPageText(text))
      const facts = readRefusalFacts(body)
      facts.retryAfterMs ??= readBodyWait(body, this.#now())
      return this.#fail(this.#toFailure(this.#status, message, { status: this.#status, ...facts }))
    }
    const answer = parseAnswer(bytes, text)
    if (answer) return this.#readWhole(answer)
    if (isJsonLines(text)) return this.#endJsonLines(bytes)
    const named = readErrorField(text)
    if (named) return this.#upstreamError(named)
    if (isOtherText(text)) return this.#upstreamError(toErrorEvent(text))
    this.#readWhole(repairAnswer(text))
  }

  #readWhole(answer: WholeAnswer): void {
    if (answer.body === null) throw new Error('it is null')
    const { providerProtocol, adaptProtocol, answerId, answerLimit, toolNames, target } = this.#attempt
    const { normalizer } = providerProtocol.forms ?? {}
    const normalized = normalizer ? normalizer.normalizeAnswer(answer.body, target.endpoint) : answer.body
    const protocol = recognizeAnswer(normalized, providerProtocol)
    const isForeign = protocol !== providerProtocol
    const { readBody } = isForeign && adaptProtocol ? adaptProtocol(protocol) : protocol
    const events = readBody(normalized, answerId, answerLimit, toolNames)
    this.#deliverWhole(events, isForeign ? undefined : replaceBody(answer, normalized))
  }

  /** @param whole undefined if the answer was read while it arrived. */
  #deliverWhole(events: AnswerEvent[], whole: Parameters<Receiver['events']>[2]): void {
    const error = events.find((event) => event.type === 'error')
    if (error) return this.#upstreamError(error)
    if (whole && whole.bytes.length > maxUncheckedBytes) this.#contentSize.addEvents(events)
    this.#start()
    this.#receiver.events(events, undefined, whole)
    this.#finish()
  }

  /** Reads a whole body that is a stream of JSON lines with another content type. */
  #endJsonLines(bytes: Buffer): void {
    this.#startStream({ hasJsonLines: true })
    this.#readChunk(bytes)
    if (!this.#isOver) this.#end()
  }

  #upstreamError(error: Extract<AnswerEvent, { type: 'error' }>): void {
    const { status = 502 } = error
    const failure = this.#toFailure(status, String(error.message), error)
    this.#fail({ ...failure, reason: `error ${status} within the answer` })
    this.exchange?.abort()
  }

  #toFailure(status: number, message: string, facts: Parameters<typeof reportedFailure>[3]): AttemptFailure {
    const waits = { headerMs: this.#retryAfterMs, resetMs: this.#resetMs }
    return reportedFailure(this.#attempt, status, message, facts, waits)
  }

  #finish(): void {
    if (this.#isOver) return
    // Called before the attempt ends, because an answer that cannot be written counts as failed.
    this.#receiver.ended()
    this.#isOver = true
    this.#settle(undefined)
  }

  #fail(failure: AttemptFailure): void {
    if (this.#isOver) return
    this.#isOver = true
    if (!this.#started) return this.#settle(failure)
    this.#receiver.flush()
    this.#receiver.failed(failure)
    this.#settle(undefined)
  }
}

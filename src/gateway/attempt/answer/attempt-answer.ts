import type { AnswerEvent } from '#chat/events.ts'
import { ByteBuffer } from '#platform/text/byte-buffer.ts'
import { decodeUtf8, toUtf8, withoutByteOrderMark } from '#platform/text/decode-bytes.ts'
import type { BodyReader } from '../../protocol/provider-protocol.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { type AttemptFailure, failureFromTransport } from '../failure/failure.ts'
import { type HeaderWaits, readRetryAfter, readTimeToReset } from '../failure/wait-times.ts'
import type { Exchange, Sink, TransportFailure } from '../upstream/upstream.ts'
import {
  type ErrorEvent,
  failureFromErrorBody,
  failureFromErrorEvent,
  truncatedAnswer,
  unreadableAnswer,
} from './answer-failure.ts'
import { AnswerSizeLimit } from './answer-size-limit.ts'
import { looksLikeEventStream, startsWholeAnswer } from './event-text.ts'
import { isJsonLines, isJsonLinesType } from './json-lines.ts'
import { ReadAfterDisconnect } from './read-after-disconnect.ts'
import type { Receiver, WholeAnswer } from './receiver.ts'
import { StreamAnswer, type StreamEnd } from './stream-answer.ts'
import { parseAnswer, readErrorText, readWholeAnswer, repairAnswer } from './whole-answer.ts'

/** The content of a whole answer of at most this size is not checked against `AnswerSizeLimit`. */
const maxUncheckedBytes = 64 * 1024
/** The length of the chunks in which a whole answer is read as a stream. */
const chunkBytes = 64 * 1024

/** Longer errors are truncated, because they are buffered in memory. */
const maxErrorBytes = 64 * 1024

/** Reads the answer of one attempt for its receiver, and rejects answers that violate the protocol. */
export class AttemptAnswer implements Sink {
  /** Set after the construction, because the request is sent with this sink. */
  exchange: Exchange | undefined
  firstByteMs: number | undefined
  readonly #startedAt = performance.now()
  readonly #attempt: AttemptRequest
  readonly #receiver: Receiver
  readonly #now: () => number
  /**
   * Ends the attempt. With a failure, nothing was delivered, and another endpoint can be tried. With undefined, the receiver
   * has the outcome, which can also be a failure.
   */
  readonly #settle: (failure: AttemptFailure | undefined) => void
  readonly #afterDisconnect: ReadAfterDisconnect
  readonly #receivedSize = new AnswerSizeLimit()
  #status = 0
  #contentType = ''
  readonly #waits: HeaderWaits = { retryAfterMs: undefined, resetMs: undefined }
  /** Exactly one of these three reads the answer. */
  #stream: StreamAnswer | undefined
  #wholeBytes: ByteBuffer | undefined
  /** Reads a whole answer that is too long to be parsed at once. */
  #bodyReader: BodyReader | undefined
  /** Whether a whole answer can follow although the upstream announced a stream. Its first bytes decide. */
  #canBeWhole = false
  /** Events were passed to the receiver. */
  #isDelivering = false
  #isSettled = false

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
    this.#afterDisconnect = new ReadAfterDisconnect(attempt)
  }

  head(status: number, headers: Parameters<Sink['head']>[1]): void {
    this.firstByteMs = Math.round(performance.now() - this.#startedAt)
    this.#status = status
    this.#waits.retryAfterMs = readRetryAfter(headers, this.#now())
    // Answers without an error have these headers too, and would be slowed down by reading them.
    if (status >= 400) this.#waits.resetMs = readTimeToReset(headers, this.#now())
    this.#bodyReader = status < 300 ? this.#attempt.bodyReader?.() : undefined
    if (this.#bodyReader) return
    const type = String(headers['content-type'])
    this.#contentType = type
    if (status < 300 && isJsonLinesType(type)) this.#startStream({ hasJsonLines: true })
    else if (status < 300 && /event-stream/i.test(type)) {
      this.#startStream({ hasJsonLines: false })
      this.#canBeWhole = true
    } else this.#wholeBytes = new ByteBuffer()
  }

  data(chunk: Buffer): void {
    // An upstream could send bytes after the end forever.
    if (this.#isSettled || !this.#afterDisconnect.accepts(chunk.length)) return this.exchange?.abort()
    this.#readOrFail(() => this.#readChunk(chunk))
  }

  end(): void {
    if (!this.#isSettled) this.#readOrFail(() => this.#endAnswer())
  }

  /** If the connection breaks after the finish event, the answer is complete, except perhaps for its usage. */
  failed(failure: TransportFailure): void {
    const stream = this.#stream
    if (!stream?.isFinished || this.#isSettled || failure.kind === 'aborted')
      return this.#fail(failureFromTransport(failure))
    this.#readOrFail(() => this.#endStream(stream.completeWithoutUsage()))
  }

  /** Handles a client that disconnected: reads the rest of the answer if its usage is needed, and cancels it otherwise. */
  onClientDisconnect(): void {
    const abort = () => this.exchange?.abort()
    if (this.#isSettled) return abort()
    const isSent = this.exchange?.connectMs !== undefined
    if (this.#stream?.isFinished) this.#afterDisconnect.startReadingUsage(abort)
    else if (!isSent || !this.#afterDisconnect.startReadingRest(abort)) return abort()
    // The upstream may have been paused for a slow client.
    this.exchange?.resume()
  }

  /** Stops the timers and releases the slot of a background read. Called after the attempt has ended. */
  dispose(): void {
    this.#afterDisconnect.dispose()
    this.#stream?.stopHoldTimer()
  }

  #readChunk(chunk: Buffer): void {
    if (this.#bodyReader) {
      this.#receivedSize.addBytes(chunk.length)
      this.#bodyReader.push(chunk)
    } else if (this.#wholeBytes) this.#readWhole(chunk, this.#wholeBytes)
    else if (this.#canBeWhole && chunk.length > 0) this.#readFirstChunk(chunk)
    else this.#readStream(chunk)
  }

  /** Some servers announce a stream, but send an error or a whole answer. */
  #readFirstChunk(chunk: Buffer): void {
    this.#canBeWhole = false
    if (!startsWholeAnswer(chunk)) return this.#readStream(chunk)
    this.#stream = undefined
    this.#wholeBytes = new ByteBuffer()
    this.#readWhole(chunk, this.#wholeBytes)
  }

  #readWhole(chunk: Buffer, whole: ByteBuffer): void {
    if (this.#status < 300 && whole.byteLength === 0 && looksLikeEventStream(chunk)) {
      this.#startStream({ hasJsonLines: false })
      return this.#readStream(chunk)
    }
    whole.add(chunk)
    if (this.#status < 300) return this.#receivedSize.addBytes(chunk.length)
    if (whole.byteLength <= maxErrorBytes) return
    this.#endAnswer()
    this.exchange?.abort()
  }

  #startStream({ hasJsonLines }: { hasJsonLines: boolean }): StreamAnswer {
    this.#wholeBytes = undefined
    this.#stream = new StreamAnswer(this.#attempt, hasJsonLines, this.#receiver, () => this.#startDelivery())
    return this.#stream
  }

  #readStream(chunk: Buffer): void {
    // A client that did not request a stream gets a whole answer, which is buffered in memory.
    if (!this.#attempt.stream) this.#receivedSize.addBytes(chunk.length)
    const end = this.#stream!.push(chunk)
    if (end) this.#endStream(end)
  }

  #endAnswer(): void {
    if (this.#bodyReader) this.#deliverWhole(this.#bodyReader.end(), undefined)
    else if (this.#wholeBytes) this.#endWhole(withoutByteOrderMark(toUtf8(this.#wholeBytes.take(), this.#contentType)))
    else this.#endStream(this.#stream!.end())
  }

  #endStream(end: StreamEnd): void {
    if (end === 'complete') return this.#succeed()
    if (end !== 'too_early') return this.#failWithError(end)
    this.#fail(truncatedAnswer())
  }

  #endWhole(bytes: Buffer): void {
    const text = decodeUtf8(bytes)
    if (this.#status >= 300)
      return this.#fail(failureFromErrorBody(this.#attempt, this.#status, text, this.#waits, this.#now()))
    if (text.trim() === '') throw new Error('the body is empty')
    const answer = parseAnswer(bytes, text)
    if (!answer && isJsonLines(text)) return this.#endJsonLines(bytes)
    const error = answer ? undefined : readErrorText(text)
    if (error) return this.#failWithError(error)
    const { events, whole } = readWholeAnswer(this.#attempt, answer ?? repairAnswer(text))
    this.#deliverWhole(events, whole)
  }

  /** Reads JSON lines that arrived with the content type of a whole answer. */
  #endJsonLines(bytes: Buffer): void {
    const stream = this.#startStream({ hasJsonLines: true })
    let end: StreamEnd | undefined
    for (let at = 0; at < bytes.length && !end; at += chunkBytes) end = stream.push(bytes.subarray(at, at + chunkBytes))
    this.#endStream(end ?? stream.end())
  }

  /** Passes a whole answer to the receiver. @param whole undefined if it must be translated for the client. */
  #deliverWhole(events: AnswerEvent[], whole: WholeAnswer | undefined): void {
    const error = events.find((event) => event.type === 'error')
    if (error) return this.#failWithError(error)
    if (whole && whole.bytes.length > maxUncheckedBytes) new AnswerSizeLimit().addEvents(events)
    this.#startDelivery()
    this.#receiver.events(events, undefined, whole)
    this.#succeed()
  }

  #startDelivery(): void {
    this.#isDelivering = true
    if (this.exchange) this.#receiver.started(this.exchange)
  }

  #succeed(): void {
    if (this.#isSettled) return
    // Called before the attempt is settled: if it throws, because the answer cannot be written, the attempt fails.
    this.#receiver.ended()
    this.#isSettled = true
    this.#settle(undefined)
  }

  #readOrFail(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#fail(unreadableAnswer(error as Error, this.#attempt.credential))
      this.exchange?.abort()
    }
  }

  #failWithError(error: ErrorEvent): void {
    this.#fail(failureFromErrorEvent(this.#attempt, error, this.#waits))
    this.exchange?.abort()
  }

  #fail(failure: AttemptFailure): void {
    if (this.#isSettled) return
    this.#isSettled = true
    if (!this.#isDelivering) return this.#settle(failure)
    this.#receiver.flush()
    this.#receiver.failed(failure)
    this.#settle(undefined)
  }
}

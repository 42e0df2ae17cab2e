import type { AttemptTimings } from '../../record/attempt-notes.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { type AttemptFailure, failureFromTransport } from '../failure/failure.ts'
import { type HeaderWaits, readRetryAfter, readTimeToReset } from '../failure/wait-times.ts'
import type { Sink, TransportFailure, Upstreams } from '../upstream/upstream.ts'
import { Delivery } from './delivery.ts'
import { looksLikeEventStream, startsWholeResponse } from './event-text.ts'
import { isJsonLinesType } from './json-lines.ts'
import { ReadAfterDisconnect } from './read-after-disconnect.ts'
import type { Receiver } from './receiver.ts'
import {
  failureFromErrorBody,
  failureFromErrorEvent,
  failureFromTruncatedResponse,
  failureFromUnreadableResponse,
} from './response-failure.ts'
import type { ResponseEnd, ResponseReader } from './response-reader.ts'
import { StreamResponse } from './stream/stream-response.ts'
import { ErrorBodyReader, LongResponseReader, WholeResponseReader } from './whole-response-reader.ts'

/** How an attempt ended. */
export type AttemptOutcome =
  | { kind: 'complete' }
  /** Nothing reached the receiver, so another endpoint can be tried. */
  | { kind: 'unanswered'; failure: AttemptFailure }
  /** The response failed after a part of it had reached the receiver. */
  | { kind: 'broken_off'; failure: AttemptFailure }

const noBytes = Buffer.alloc(0)

/**
 * Sends the request of one attempt, reads the response for its receiver, and rejects responses that violate the protocol.
 */
export class AttemptExchange implements Sink {
  readonly #outcomeResolvers = Promise.withResolvers<AttemptOutcome>()
  readonly #startedAt = performance.now()
  readonly #attempt: AttemptRequest
  readonly #delivery: Delivery
  readonly #now: () => number
  readonly #afterDisconnect: ReadAfterDisconnect
  #firstByteMs: number | undefined
  #status = 0
  #contentType = ''
  #waits: HeaderWaits = { retryAfterMs: undefined, resetMs: undefined }
  /** Chosen by the head and the first bytes of the response. */
  #reader: ResponseReader | undefined
  #isSettled = false

  constructor(attempt: AttemptRequest, receiver: Receiver, now: () => number) {
    this.#attempt = attempt
    this.#delivery = new Delivery(receiver)
    this.#now = now
    this.#afterDisconnect = new ReadAfterDisconnect(attempt)
  }

  /** Resolves when the attempt has ended. */
  get outcome(): Promise<AttemptOutcome> {
    return this.#outcomeResolvers.promise
  }

  get timings(): AttemptTimings {
    return { connectMs: this.#delivery.exchange?.connectMs, firstByteMs: this.#firstByteMs }
  }

  /** Sends the request. This object receives the response as a `Sink`. */
  start(upstreams: Pick<Upstreams, 'send'>): void {
    this.#delivery.exchange = upstreams.send(this.#attempt.upstreamRequest.take(), this.#attempt.timeouts, this)
  }

  head(status: number, headers: Parameters<Sink['head']>[1]): void {
    this.#firstByteMs = Math.round(performance.now() - this.#startedAt)
    this.#status = status
    this.#contentType = String(headers['content-type'])
    this.#waits = {
      retryAfterMs: readRetryAfter(headers, this.#now()),
      // Responses without an error have these headers too, and would be slowed down by reading them.
      resetMs: status >= 400 ? readTimeToReset(headers, this.#now()) : undefined,
    }
  }

  data(chunk: Buffer): void {
    // An upstream could send bytes after the end forever.
    if (this.#isSettled || !this.#afterDisconnect.accepts(chunk.length)) return this.#abort()
    if (chunk.length > 0) this.#readOrFail(() => this.#readChunk(chunk))
  }

  end(): void {
    if (!this.#isSettled) this.#readOrFail(() => this.#finish(this.#readerFor(noBytes).end()))
  }

  /** If the connection breaks after the finish event, the response is complete, except perhaps for its usage. */
  fail(failure: TransportFailure): void {
    const stream = this.#finishedStream
    if (!stream || this.#isSettled || failure.kind === 'aborted') return this.#fail(failureFromTransport(failure))
    this.#readOrFail(() => this.#finish(stream.completeWithoutUsage()))
  }

  /** Handles a client that disconnected: reads the rest of the response if its usage is needed, and cancels it otherwise. */
  onClientDisconnect(): void {
    const abort = () => this.#abort()
    if (this.#isSettled) return abort()
    const { exchange } = this.#delivery
    const isSent = exchange?.connectMs !== undefined
    if (this.#finishedStream) this.#afterDisconnect.startReadingUsage(abort)
    else if (!isSent || !this.#afterDisconnect.startReadingRest(abort)) return abort()
    // The upstream may have been paused for a slow client.
    exchange?.resume()
  }

  /** Stops the timers and releases the slot of a background read. Called after the attempt has ended. */
  dispose(): void {
    this.#afterDisconnect.dispose()
    this.#reader?.dispose?.()
  }

  /** The stream whose finish event was read. */
  get #finishedStream(): StreamResponse | undefined {
    return this.#reader instanceof StreamResponse && this.#reader.isFinished ? this.#reader : undefined
  }

  #readChunk(chunk: Buffer): void {
    const end = this.#readerFor(chunk).push(chunk)
    if (!end) return
    this.#finish(end)
    // The rest of a long error is not read.
    if (typeof end === 'object' && end.type === 'error_body') this.#abort()
  }

  /** @param start the first bytes of the response. */
  #readerFor(start: Buffer): ResponseReader {
    this.#reader ??= this.#createReader(start)
    return this.#reader
  }

  #createReader(start: Buffer): ResponseReader {
    const contentType = this.#contentType
    if (this.#status >= 300) return new ErrorBodyReader(contentType)
    const bodyReader = this.#attempt.bodyReader?.()
    if (bodyReader) return new LongResponseReader(bodyReader, this.#delivery)
    if (isJsonLinesType(contentType)) return new StreamResponse(this.#attempt, this.#delivery, 'json_lines')
    // Some servers announce a stream, but send an error or a whole response, and others announce JSON, but send a stream.
    const isStream = /event-stream/i.test(contentType) ? !startsWholeResponse(start) : looksLikeEventStream(start)
    return isStream
      ? new StreamResponse(this.#attempt, this.#delivery, 'server_sent_events')
      : new WholeResponseReader(this.#attempt, this.#delivery, contentType)
  }

  #finish(end: ResponseEnd): void {
    if (end === 'complete') return this.#succeed()
    if (end === 'too_early') return this.#fail(failureFromTruncatedResponse())
    if (end.type === 'error_body')
      return this.#fail(failureFromErrorBody(this.#attempt, this.#status, end.text, this.#waits, this.#now()))
    this.#fail(failureFromErrorEvent(this.#attempt, end, this.#waits))
    this.#abort()
  }

  #succeed(): void {
    if (this.#isSettled) return
    // Called before the attempt is settled: if it throws, because the response cannot be written, the attempt fails.
    this.#delivery.receiver.onEnd()
    this.#settle({ kind: 'complete' })
  }

  #readOrFail(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#fail(failureFromUnreadableResponse(error as Error, this.#attempt.credential))
      this.#abort()
    }
  }

  #fail(failure: AttemptFailure): void {
    if (this.#isSettled) return
    if (this.#delivery.hasStarted) this.#delivery.receiver.flush()
    this.#settle({ kind: this.#delivery.hasStarted ? 'broken_off' : 'unanswered', failure })
  }

  #settle(outcome: AttemptOutcome): void {
    this.#isSettled = true
    this.#outcomeResolvers.resolve(outcome)
  }

  #abort(): void {
    this.#delivery.exchange?.abort()
  }
}

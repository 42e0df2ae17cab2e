import type { AnswerEvent } from '#chat/events.ts'
import { ByteBuffer } from '#platform/text/byte-buffer.ts'
import { decodeUtf8, toUtf8, withoutByteOrderMark } from '#platform/text/decode-bytes.ts'
import type { BodyReader } from '../../protocol/protocol.ts'
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
import { looksLikeEventStream, startsBody } from './event-text.ts'
import { isJsonLines, isJsonLinesType } from './json-lines.ts'
import { ReadAfterDisconnect } from './read-after-disconnect.ts'
import type { Receiver, WholeAnswer } from './receiver.ts'
import { StreamAnswer, type StreamEnd } from './stream-answer.ts'
import { parseAnswer, readErrorText, readWholeAnswer, repairAnswer } from './whole-answer.ts'

/** The content of a whole answer of at most this size is not checked: it cannot fill the memory. */
const maxUncheckedBytes = 64 * 1024
/** The length of the chunks in which a body is read as a stream: like those of a connection. */
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
  readonly #settle: (failure: AttemptFailure | undefined) => void
  readonly #afterDisconnect: ReadAfterDisconnect
  readonly #receivedSize = new AnswerSizeLimit()
  #status = 0
  #contentType = ''
  readonly #waits: HeaderWaits = { retryAfterMs: undefined, resetMs: undefined }
  /** The answer is in one of these three. */
  #stream: StreamAnswer | undefined
  #wholeBody: ByteBuffer | undefined
  /** Reads a body that is too long to be parsed at once. */
  #bodyReader: BodyReader | undefined
  /** Whether a body can follow, although the upstream announced a stream: until the first bytes. */
  #canBeBody = false
  /** Events were passed to the receiver. */
  #isStarted = false
  /** The attempt has ended. */
  #isOver = false

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
      this.#canBeBody = true
    } else this.#wholeBody = new ByteBuffer()
  }

  data(chunk: Buffer): void {
    // An upstream could send bytes after the end forever.
    if (this.#isOver || !this.#afterDisconnect.accepts(chunk.length)) return this.exchange?.abort()
    this.#failIfUnreadable(() => this.#readChunk(chunk))
  }

  end(): void {
    if (!this.#isOver) this.#failIfUnreadable(() => this.#end())
  }

  /** A connection that breaks after the last content has delivered the whole answer, except perhaps its usage. */
  failed(failure: TransportFailure): void {
    const stream = this.#stream
    if (!stream?.isFinished || this.#isOver || failure.kind === 'aborted')
      return this.#fail(failureFromTransport(failure))
    this.#failIfUnreadable(() => this.#endStream(stream.completeFinished()))
  }

  /** Handles a client that disconnected: reads the rest of the answer if its usage is needed, and cancels it otherwise. */
  onClientDisconnect(): void {
    const abort = () => this.exchange?.abort()
    if (this.#isOver) return abort()
    const isSent = this.exchange?.connectMs !== undefined
    if (this.#stream?.isFinished) this.#afterDisconnect.startUsage(abort)
    else if (!isSent || !this.#afterDisconnect.startAnswer(abort)) return abort()
    // The upstream may have been paused for a slow client.
    this.exchange?.resume()
  }

  stopWaiting(): void {
    this.#afterDisconnect.end()
    this.#stream?.stopWaiting()
  }

  #readChunk(chunk: Buffer): void {
    if (this.#bodyReader) {
      this.#receivedSize.addBytes(chunk.length)
      this.#bodyReader.push(chunk)
    } else if (this.#wholeBody) this.#readBody(chunk, this.#wholeBody)
    else if (this.#canBeBody && chunk.length > 0) this.#readFirstChunk(chunk)
    else this.#readStream(chunk)
  }

  /** Some servers send an error or a whole answer without the fields of events, although they announce a stream. */
  #readFirstChunk(chunk: Buffer): void {
    this.#canBeBody = false
    if (!startsBody(chunk)) return this.#readStream(chunk)
    this.#stream = undefined
    this.#wholeBody = new ByteBuffer()
    this.#readBody(chunk, this.#wholeBody)
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

  #startStream({ hasJsonLines }: { hasJsonLines: boolean }): StreamAnswer {
    this.#wholeBody = undefined
    this.#stream = new StreamAnswer(this.#attempt, hasJsonLines, this.#receiver, () => this.#start())
    return this.#stream
  }

  #readStream(chunk: Buffer): void {
    // A client that did not ask for a stream gets a whole answer, which is collected in memory.
    if (!this.#attempt.stream) this.#receivedSize.addBytes(chunk.length)
    const end = this.#stream!.push(chunk)
    if (end) this.#endStream(end)
  }

  #end(): void {
    if (this.#bodyReader) this.#deliverWhole(this.#bodyReader.end(), undefined)
    else if (this.#wholeBody) this.#endBody(withoutByteOrderMark(toUtf8(this.#wholeBody.take(), this.#contentType)))
    else this.#endStream(this.#stream!.end())
  }

  #endStream(end: StreamEnd): void {
    if (end === 'complete') return this.#finish()
    if (end !== 'too_early') return this.#failWithError(end)
    this.#fail(truncatedAnswer())
  }

  #endBody(bytes: Buffer): void {
    const text = decodeUtf8(bytes)
    if (this.#status >= 300)
      return this.#fail(failureFromErrorBody(this.#attempt, this.#status, text, this.#waits, this.#now()))
    if (text.trim() === '') throw new Error('it is empty')
    const answer = parseAnswer(bytes, text)
    if (!answer && isJsonLines(text)) return this.#endJsonLines(bytes)
    const error = answer ? undefined : readErrorText(text)
    if (error) return this.#failWithError(error)
    const { events, whole } = readWholeAnswer(this.#attempt, answer ?? repairAnswer(text))
    this.#deliverWhole(events, whole)
  }

  /** Reads a whole body that is a stream of JSON lines with another content type, in chunks as a stream arrives. */
  #endJsonLines(bytes: Buffer): void {
    const stream = this.#startStream({ hasJsonLines: true })
    let end: StreamEnd | undefined
    for (let at = 0; at < bytes.length && !end; at += chunkBytes) end = stream.push(bytes.subarray(at, at + chunkBytes))
    this.#endStream(end ?? stream.end())
  }

  /** @param whole undefined if clients do not get the bytes. */
  #deliverWhole(events: AnswerEvent[], whole: WholeAnswer | undefined): void {
    const error = events.find((event) => event.type === 'error')
    if (error) return this.#failWithError(error)
    if (whole && whole.bytes.length > maxUncheckedBytes) new AnswerSizeLimit().addEvents(events)
    this.#start()
    this.#receiver.events(events, undefined, whole)
    this.#finish()
  }

  #start(): void {
    this.#isStarted = true
    if (this.exchange) this.#receiver.started(this.exchange)
  }

  #finish(): void {
    if (this.#isOver) return
    // Called before the attempt ends, because an answer that cannot be written counts as failed.
    this.#receiver.ended()
    this.#isOver = true
    this.#settle(undefined)
  }

  #failIfUnreadable(read: () => void): void {
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
    if (this.#isOver) return
    this.#isOver = true
    if (!this.#isStarted) return this.#settle(failure)
    this.#receiver.flush()
    this.#receiver.failed(failure)
    this.#settle(undefined)
  }
}

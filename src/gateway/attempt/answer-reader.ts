import type { AnswerEvent } from '#chat/events.ts'
import { isDeeper } from '#platform/json/depth.ts'
import { type SseEvent, SseReader } from '#platform/net/sse.ts'
import { ByteBuffer } from '#platform/text/byte-buffer.ts'
import { utf8Of, withoutMark } from '#platform/text/text-of-bytes.ts'
import { endMark, isEndMark } from '../protocol/tool-calls/readers.ts'
import { codeOfRefusal, detailsOfRefusal, retryDelayOfRefusal } from '../providers/error-code.ts'
import { AnswerBound } from './answer-size-limit.ts'
import type { AttemptRequest } from './attempt-request.ts'
import { ContentHold, endsChoice } from './content-hold.ts'
import { AlikeEvents } from './delta-fast-path.ts'
import { type AttemptFailure, failureOfStatus, failureOfTransport, retryAfterMs, withContextLength } from './failure.ts'
import { maskSecrets } from './mask-secrets.ts'
import type { Receiver } from './receiver.ts'
import type { Exchange, Sink, TransportFailure } from './upstream/upstream.ts'

/** The most bytes that are read after the end of an answer to find its usage. */
const mostBytesToUsage = 1024 * 1024

/** Keep-alives of an hour are a few kilobytes. */
const maxIdleBytes = 1024 * 1024

/** Pings, and events of tools that the provider runs, are far fewer. */
const maxEmptyEvents = 100_000

/** Longer errors are truncated, because they are buffered in memory. */
const maxErrorBytes = 64 * 1024

/** Reads the answer of one attempt for its receiver, and rejects answers that violate the protocol. */
export class AttemptAnswer implements Sink {
  exchange: Exchange | undefined
  firstByteMs: number | undefined
  readonly #askedAt = performance.now()
  readonly #ask: AttemptRequest
  readonly #receiver: Receiver
  readonly #now: () => number
  readonly #settle: (failure: AttemptFailure | undefined) => void
  readonly #sse = new SseReader(maxIdleBytes)
  readonly #read: (event: SseEvent) => AnswerEvent[]
  readonly #alike: AlikeEvents | undefined
  readonly #hold: ContentHold
  #status = 0
  #retryAfter: string | string[] | undefined
  #whole: ByteBuffer | undefined
  readonly #received = new AnswerBound()
  readonly #said = new AnswerBound()
  #emptyEvents = 0
  #started = false
  #finished = false
  #over = false
  #waiting: NodeJS.Timeout | undefined
  /** The number of bytes that are still read for a client that has left. */
  #bytesToCome = Number.POSITIVE_INFINITY

  constructor(
    ask: AttemptRequest,
    receiver: Receiver,
    now: () => number,
    settle: (failure: AttemptFailure | undefined) => void,
  ) {
    this.#ask = ask
    this.#receiver = receiver
    this.#now = now
    this.#settle = settle
    this.#hold = new ContentHold(ask.contentHoldMs ?? defaultHoldMs, () => this.#openWithoutContent())
    this.#read = ask.providerProtocol.reader(ask.answerId, ask.answerLimit)
    if (ask.providerProtocol.readsEventsAlone) this.#alike = new AlikeEvents(this.#read, receiver, this.#said)
  }

  head(status: number, headers: Parameters<Sink['head']>[1]): void {
    this.firstByteMs = Math.round(performance.now() - this.#askedAt)
    this.#status = status
    this.#retryAfter = headers['retry-after']
    const isStream = status < 300 && /event-stream/i.test(String(headers['content-type']))
    if (!isStream) this.#whole = new ByteBuffer()
  }

  data(chunk: Buffer): void {
    // An upstream could send bytes after the end forever.
    if (this.#over) return this.exchange?.abort()
    try {
      this.#take(chunk)
    } catch (error) {
      this.#unreadable(error as Error)
    }
  }

  end(): void {
    if (this.#over) return
    try {
      this.#end()
    } catch (error) {
      this.#unreadable(error as Error)
    }
  }

  failed(failure: TransportFailure): void {
    this.#fail(failureOfTransport(failure))
  }

  /**
   * Handles a client that disconnected. A finished answer is read to its usage, which comes last; an unfinished one is
   * cancelled at once.
   */
  leave(): void {
    if (!this.#finished || this.#over) return this.exchange?.abort()
    this.#bytesToCome = mostBytesToUsage
    this.#waiting = setTimeout(() => this.exchange?.abort(), this.#ask.deadlines.usageMs)
    // The upstream may have been paused for a slow client.
    this.exchange?.resume()
  }

  stopWaiting(): void {
    clearTimeout(this.#waiting)
    this.#hold.stop()
  }

  #take(chunk: Buffer): void {
    this.#bytesToCome -= chunk.length
    if (this.#bytesToCome < 0) return this.exchange?.abort()
    if (this.#whole) this.#collect(chunk, this.#whole)
    else this.#cut(chunk)
  }

  #unreadable({ message }: Error): void {
    const why = maskSecrets(message, this.#ask.credential)
    this.#fail({
      ...broken,
      reason: 'an answer that cannot be read',
      message: `The provider's answer cannot be read: ${why}.`,
    })
    this.exchange?.abort()
  }

  #collect(chunk: Buffer, whole: ByteBuffer): void {
    whole.add(chunk)
    if (this.#status < 300) return this.#received.take(chunk.length)
    if (whole.bytes <= maxErrorBytes) return
    this.#end()
    this.exchange?.abort()
  }

  #cut(chunk: Buffer): void {
    // A client that did not ask for a stream gets a whole answer, even if the upstream streams.
    if (!this.#ask.stream) this.#received.take(chunk.length)
    const read = this.#alike && this.#sse.isBetweenEvents ? this.#alike.deliver(chunk) : 0
    if (read > 0) this.#sse.noteEvent()
    if (read === chunk.length) this.#receiver.flush()
    else this.#deliver(this.#sse.push(read === 0 ? chunk : chunk.subarray(read)))
  }

  #deliver(events: SseEvent[]): void {
    for (const event of events) {
      // Nothing follows the end mark, but some upstreams keep the connection open after it.
      if (isEndMark(event)) return this.#endStream(this.#started || !this.#hold.isEmpty)
      // Some send an empty one to keep the connection alive.
      if (event.data === '') continue
      const read = this.#read(event)
      const error = read.find((one) => one.type === 'error')
      if (error) return this.#upstreamError(error)
      this.#countEmpty(read)
      this.#said.takeEvent(event.raw, read)
      if (read.some((one) => one.type === 'finish')) this.#finished = true
      const isPlain = !event.data.includes('\n') && !read.some((one) => one.type === 'usage')
      const raw = isPlain ? event.raw : plainly(event)
      if (!this.#started && !read.some(endsChoice)) {
        this.#hold.add(read, raw)
        continue
      }
      this.#start()
      this.#receiver.events(read, raw)
      if (isPlain) this.#alike?.learn(event.raw, read)
    }
    if (this.#started) this.#receiver.flush()
  }

  #countEmpty(read: AnswerEvent[]): void {
    this.#emptyEvents = read.length === 0 ? this.#emptyEvents + 1 : 0
    if (this.#emptyEvents > maxEmptyEvents) throw new Error(`${maxEmptyEvents} events in a row have no content`)
  }

  #start(): void {
    if (this.#started) return
    this.#started = true
    if (this.exchange) this.#receiver.started(this.exchange)
    for (const { events, raw } of this.#hold.take()) this.#receiver.events(events, raw)
  }

  /** There was no content for too long. The client gets the response, and this endpoint is the last one tried. */
  #openWithoutContent(): void {
    if (this.#over || this.#started) return
    this.#start()
    this.#receiver.flush()
    this.#receiver.openEarly?.()
  }

  #end(): void {
    if (this.#whole) return this.#endWhole(withoutMark(this.#whole.take(Buffer.alloc(0))))
    this.#deliver(this.#sse.end())
    if (this.#over) return
    this.#endStream(this.#finished)
  }

  /** @param isWhole whether the answer is whole if nothing more is left of it. */
  #endStream(isWhole: boolean): void {
    const rest = this.#read(endMark)
    if (!isWhole && !rest.some((one) => one.type === 'finish')) return this.#endTooEarly()
    this.#start()
    if (rest.length > 0) this.#receiver.events(rest, undefined)
    this.#finish()
  }

  #endTooEarly(): void {
    this.#fail({ ...broken, reason: tooEarly, message: 'The provider ended its answer too early.' })
  }

  #endWhole(bytes: Buffer): void {
    const text = utf8Of(bytes)
    if (this.#status >= 300) {
      const body = parseJson(text)
      const message = maskSecrets(String(this.#ask.providerProtocol.errorMessage(body) || text), this.#ask.credential)
      const wait = retryAfterMs(this.#retryAfter, this.#now()) ?? retryDelayOfRefusal(body)
      const failure = failureOfStatus(this.#status, message || undefined, wait, this.#ask.credentialOwner)
      const details = detailsOfRefusal(body)
      const hasSecret = details !== undefined && maskSecrets(details, this.#ask.credential) !== details
      const words = { providerCode: codeOfRefusal(body), providerDetails: hasSecret ? undefined : details }
      return this.#fail(this.#withContextLength({ ...failure, ...words }, message))
    }
    const events = this.#ask.providerProtocol.readBody(flatEnough(text), this.#ask.answerId, this.#ask.answerLimit)
    const error = events.find((one) => one.type === 'error')
    if (error) return this.#upstreamError(error)
    this.#said.takeEvents(events)
    this.#start()
    this.#receiver.events(events, undefined, bytes)
    this.#finish()
  }

  #upstreamError(error: Extract<AnswerEvent, { type: 'error' }>): void {
    const { status = 502, code: providerCode } = error
    const message = maskSecrets(String(error.message), this.#ask.credential)
    const failure = failureOfStatus(status, message, undefined, this.#ask.credentialOwner)
    const reason = `error ${status} within the answer`
    this.#fail(this.#withContextLength({ ...failure, providerCode, reason }, message))
    this.exchange?.abort()
  }

  #withContextLength(failure: AttemptFailure, message: string): AttemptFailure {
    return withContextLength(failure, this.#ask.providerProtocol.contextErrors, message)
  }

  #finish(): void {
    if (this.#over) return
    // Before the attempt ends: an answer that cannot be written counts as failed, and the caller waits for the result.
    this.#receiver.ended()
    this.#over = true
    this.#settle(undefined)
  }

  #fail(failure: AttemptFailure): void {
    if (this.#over) return
    this.#over = true
    if (!this.#started) return this.#settle(failure)
    this.#receiver.flush()
    this.#receiver.broke(failure)
    this.#settle(undefined)
  }
}

const defaultHoldMs = 15_000

const tooEarly = 'an answer that ended too early'

/** An unusable answer. The provider may have generated and billed all of it. */
const broken: AttemptFailure = { ...failureOfStatus(502, undefined), sent: true }

/** An event with nothing in it but its name and its data on one line: line breaks in JSON are only space. */
function plainly({ event, data }: SseEvent): Buffer {
  return Buffer.from(`${event ? `event: ${event}\n` : ''}data: ${data.replaceAll('\n', ' ')}\n\n`)
}

/** Deeper than any answer is. What is nested much deeper still can be read, but not be written out again. */
const deepest = 500

function flatEnough(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (text.length > 2 * deepest && isDeeper(value, deepest))
    throw new Error(`it is nested more than ${deepest} levels deep`)
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

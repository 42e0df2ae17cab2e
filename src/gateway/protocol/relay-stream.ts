import type { CompletionEvent, TokenCounts } from '#chat/events.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { ByteBatch } from '#platform/text/byte-batch.ts'
import type { DeltaReceiver, Receiver, TextEvent } from '../attempt/response/receiver.ts'
import type { Exchange } from '../attempt/upstream/upstream.ts'
import type { ClientProtocol, ResponseHead, StreamWriter } from './client-protocol.ts'
import type { EventTemplate } from './event-template.ts'
import type { PassthroughRewriter } from './passthrough-rewriter.ts'
import { findUsage, type PriceTokens, toCostNote } from './usage-with-cost.ts'

/** Counts one text delta by its length in bytes. */
type CountText = (type: TextEvent['type'], byteLength: number) => void

type StreamOptions = {
  client: ClientProtocol
  head: ResponseHead
  /** Whether the client gets the bytes of the upstream, because both use the same protocol. */
  passesResponse: boolean
  includeUsage: boolean
  count: (events: CompletionEvent[]) => void
  countText: CountText
  /** Called at the first content of the response. */
  started?: () => void
  /** Whether `count` needs the text of every event, for example to store it. Otherwise `countText` gets lengths. */
  needsText?: boolean
  price: PriceTokens
}

/** Relays a stream to the client: the bytes of the upstream, or a translation of its events. */
export class StreamRelay implements Receiver, DeltaReceiver {
  /** This relay itself, if it can relay text deltas without their events; otherwise undefined. */
  readonly deltas: DeltaReceiver | undefined
  readonly #response: ResponseStream
  readonly #options: StreamOptions
  readonly #rewriter: PassthroughRewriter | undefined
  #writer: StreamWriter | undefined
  #exchange: Exchange | undefined
  #tokens: TokenCounts | undefined
  #passedEvents = 0
  #wasThrottled = false
  readonly #batch = new ByteBatch()
  /** Whether the batch will be written at the end of the tick. */
  #isWriteScheduled = false

  constructor(response: ResponseStream, options: StreamOptions) {
    this.#response = response
    this.#options = options
    const { client, head, passesResponse, needsText } = options
    this.#rewriter = passesResponse ? client.createRewriter?.(head) : undefined
    this.deltas = passesResponse && !needsText ? this : undefined
  }

  /** Whether a slow client throttled the upstream. Then the upstream may have generated much more than was read. */
  get wasThrottled(): boolean {
    return this.#wasThrottled
  }

  /** Writes buffered output, and returns a writer that continues the stream. */
  flushAndContinue(): StreamWriter {
    this.#write()
    const { client, head, includeUsage } = this.#options
    return this.#passedEvents > 0
      ? client.createWriter(head, { includeUsage, passedEvents: this.#passedEvents })
      : this.#translatingWriter()
  }

  onStart(exchange: Exchange): void {
    this.#exchange = exchange
    this.#response.onDrain(() => exchange.resume())
    this.#options.started?.()
  }

  onEvents(events: CompletionEvent[], raw: Buffer | undefined): void {
    const { client, passesResponse, includeUsage, count, price } = this.#options
    count(events)
    const usage = findUsage(events)
    this.#tokens = usage?.tokens ?? this.#tokens
    // Events without bytes of the upstream are repairs, at the end of a passed-through stream.
    if (this.#passedEvents > 0 && raw === undefined) return this.#send(this.#rewriter?.writeRemaining?.(events) ?? '')
    if (raw === undefined || !passesResponse) {
      const writer = this.#translatingWriter()
      return this.#send(events.map(writer.event).join(''))
    }
    this.#passedEvents++
    const rewritten = this.#rewriter ? this.#rewriter.rewriteEvent(raw, events) : raw
    if (!usage) return this.#send(rewritten)
    this.#send(client.addCostToEvent(rewritten, toCostNote(usage, price), { includeUsage }))
  }

  rewrite(raw: Buffer): Buffer {
    return this.#rewriter ? this.#rewriter.rewriteEvent(raw) : raw
  }

  take({ type }: TextEvent, byteLength: number, template: EventTemplate, chunk: Buffer): void {
    this.#options.countText(type, byteLength)
    this.#passedEvents++
    template.write(chunk, this.#batch)
  }

  openResponse(): void {
    this.#write()
    if (!this.#response.opened && !this.#response.signal.aborted) this.#response.write(this.#options.client.keepalive)
  }

  /** Writes at the end of the tick, because a socket delivers several chunks in one tick. */
  flush(): void {
    if (!this.#isWriteScheduled) process.nextTick(() => this.#write())
    this.#isWriteScheduled = true
  }

  onEnd(): void {
    const { client, price } = this.#options
    this.#send(
      this.#passedEvents > 0
        ? (this.#rewriter?.writeEnd?.() ?? '') + client.passThroughEnd
        : this.#translatingWriter().end(this.#tokens && price(this.#tokens)),
    )
    if (!this.#response.signal.aborted) this.#response.end(this.#batch.take())
  }

  /** The writer of a translated stream. Created at first use, because passed-through streams need no writer. */
  #translatingWriter(): StreamWriter {
    const { client, head, includeUsage } = this.#options
    this.#writer ??= client.createWriter(head, { includeUsage })
    return this.#writer
  }

  #send(piece: string | Buffer): void {
    if (piece.length > 0) this.#batch.add(typeof piece === 'string' ? Buffer.from(piece) : piece)
  }

  #write(): void {
    this.#isWriteScheduled = false
    if (this.#batch.isEmpty) return
    const chunk = this.#batch.take()
    // After the client disconnected, the response is still read for its usage, without back-pressure.
    if (this.#response.signal.aborted || this.#response.write(chunk)) return
    this.#wasThrottled = true
    this.#exchange?.pause()
  }
}

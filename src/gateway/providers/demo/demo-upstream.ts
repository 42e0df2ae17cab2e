import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { ChatRequest } from '#chat/chat-request.ts'
import { type Step, simulateResponse } from '#chat/demo/play.ts'
import type { CompletionEvent } from '#chat/events.ts'
import { IdleTimer } from '#platform/async/idle-timer.ts'
import type { Timeouts } from '../../attempt/upstream/timeouts.ts'
import type {
  Exchange,
  Sink,
  TransportFailure,
  UpstreamBody,
  UpstreamRequest,
} from '../../attempt/upstream/upstream.ts'
import { chatClientProtocol } from '../../clients/chat/chat-client-protocol.ts'
import type { ResponseHead } from '../../protocol/client-protocol.ts'
import { type DemoEmbeddingsBody, sendEmbeddingsToDemo } from './demo-embeddings.ts'
import { sendDemoError } from './demo-error.ts'

/** The origin of the demo model, which runs in this process. */
export const demoOrigin = 'demo://local'

/** Sends a request to the demo model: OpenAI chat completions and embeddings, including simulated failures. */
export function sendToDemo(request: UpstreamRequest, timeouts: Timeouts, sink: Sink): Exchange {
  // The body needs no validation: `demo-protocol.ts` encoded it.
  const body: unknown = JSON.parse(readBodyText(request.body))
  if (request.path === '/embeddings') return sendEmbeddingsToDemo(body as DemoEmbeddingsBody, sink)
  const chat = body as ChatRequest
  const demoResponse = simulateResponse(chat)
  if ('error' in demoResponse) return sendDemoError(demoResponse.error, sink)
  const exchange = new DemoExchange(chat.stream === true, timeouts, sink)
  void exchange.run(demoResponse.steps)
  return exchange
}

const readBodyText = (body: UpstreamBody) => (typeof body === 'string' ? body : Buffer.concat(body).toString('utf8'))

/** Sends the steps of one chat completion to a sink, as an upstream would. */
class DemoExchange implements Exchange {
  readonly #isStreamed: boolean
  readonly #sink: Sink
  readonly #writer: ReturnType<typeof chatClientProtocol.createWriter>
  readonly #metadata: ResponseHead = {
    id: `chatcmpl-${randomUUID()}`,
    model: 'signalbox/demo',
    createdSeconds: Math.floor(Date.now() / 1000),
  }
  readonly #idleTimer: IdleTimer
  readonly #idleMs: number
  /** Aborted when the sink has got its last call. */
  readonly #ended = new AbortController()
  /** Resolves when the reader resumes. Undefined while it does not pause. */
  #resumed: PromiseWithResolvers<void> | undefined
  #hasSentHead = false

  constructor(isStreamed: boolean, timeouts: Timeouts, sink: Sink) {
    this.#isStreamed = isStreamed
    this.#sink = sink
    this.#writer = chatClientProtocol.createWriter(this.#metadata, { includeUsage: true })
    this.#idleMs = timeouts.idleMs
    this.#idleTimer = new IdleTimer(() => this.#fail('timeout', 'the demo model sent no more data'))
    this.#idleTimer.start(timeouts.firstByteMs)
  }

  async run(steps: readonly Step[]): Promise<void> {
    await nextTurn()
    if (this.#isEnded) return
    this.#sink.head(200, { 'content-type': this.#isStreamed ? 'text/event-stream' : 'application/json' })
    this.#hasSentHead = true
    const events: CompletionEvent[] = []
    for (const step of steps) {
      await this.#waitForStep(step)
      if (this.#isEnded) return
      if ('stop' in step) {
        if (step.stop === 'cut') this.#fail('reset', 'the demo model closed the connection')
        // After `stall` nothing follows: the idle timeout ends the request.
        return
      }
      this.#idleTimer.start(this.#idleMs)
      if (step.event.type === 'error') return this.#endWithError(step.event)
      events.push(step.event)
      if (this.#isStreamed) this.#sendText(this.#writer.event(step.event))
    }
    await this.#waitUntilResumed()
    if (!this.#isEnded) this.#endWith(this.#isStreamed ? this.#writer.end(undefined) : this.#writeWhole(events))
  }

  abort(): void {
    this.#fail('aborted', 'the client disconnected')
  }

  pause(): void {
    if (this.#isEnded) return
    this.#resumed ??= Promise.withResolvers()
    this.#idleTimer.stop()
  }

  resume(): void {
    if (!this.#resumed || this.#isEnded) return
    this.#idleTimer.start(this.#idleMs)
    this.#resumed.resolve()
    this.#resumed = undefined
  }

  get #isEnded(): boolean {
    return this.#ended.signal.aborted
  }

  /** Waits for the delay of a step, and then until the reader does not pause. Returns early if the exchange ends. */
  async #waitForStep({ afterMs }: Step): Promise<void> {
    if (afterMs > 0) await sleep(afterMs, undefined, { signal: this.#ended.signal }).catch(() => {})
    await this.#waitUntilResumed()
  }

  async #waitUntilResumed(): Promise<void> {
    while (this.#resumed) await this.#resumed.promise
  }

  #sendText(text: string): void {
    if (text) this.#sink.data(Buffer.from(text))
  }

  #writeWhole(events: CompletionEvent[]): string {
    return JSON.stringify(chatClientProtocol.writeBody(this.#metadata, events, undefined))
  }

  #endWithError({ message, status = 502 }: { message: string; status: number | undefined }): void {
    const error = JSON.stringify({ error: { message, code: status } })
    this.#endWith(this.#isStreamed ? `data: ${error}\n\n` : error)
  }

  #endWith(text: string): void {
    this.#sendText(text)
    this.#end(() => this.#sink.end())
  }

  #fail(kind: TransportFailure['kind'], message: string): void {
    const phase = this.#hasSentHead && this.#isStreamed ? 'response' : 'first_byte'
    this.#end(() => this.#sink.fail({ kind, phase, message }))
  }

  #end(notify: () => void): void {
    if (this.#isEnded) return
    this.#idleTimer.stop()
    this.#ended.abort()
    // A paused exchange that ended waits no longer for its reader.
    this.#resumed?.resolve()
    this.#resumed = undefined
    notify()
  }
}

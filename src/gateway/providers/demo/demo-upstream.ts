import { randomUUID } from 'node:crypto'
import type { ChatRequest } from '#chat/chat-request.ts'
import { play, type Step } from '#chat/demo/play.ts'
import { IdleTimer } from '#platform/async/idle-timer.ts'
import type { Timeouts } from '../../attempt/upstream/timeouts.ts'
import type {
  Exchange,
  Sink,
  TransportFailure,
  UpstreamBody,
  UpstreamRequest,
} from '../../attempt/upstream/upstream.ts'
import { chatClient } from '../../clients/chat/client.ts'
import { sendEmbeddingsToDemo } from './demo-embeddings.ts'
import { refuse } from './demo-refusal.ts'

/** The origin of the demo model, which runs in this process. */
export const demoOrigin = 'demo://local'

/** The demo model as an upstream of OpenAI chat completions and embeddings, with all failures of a real one. */
export function sendToDemo(request: UpstreamRequest, timeouts: Timeouts, sink: Sink): Exchange {
  const body: unknown = JSON.parse(readBodyText(request.body))
  // The demo protocol encoded the body, so it has the form of the operation.
  if (request.path === '/embeddings') return sendEmbeddingsToDemo(body as never, sink)
  const chat = body as ChatRequest
  const demoAnswer = play(chat)
  if ('error' in demoAnswer) return refuse(demoAnswer.error, sink)
  const answer = new DemoAnswer(chat, demoAnswer.steps, timeouts, sink)
  answer.start()
  return answer
}

const readBodyText = (body: UpstreamBody) => (typeof body === 'string' ? body : Buffer.concat(body).toString('utf8'))

class DemoAnswer implements Exchange {
  readonly #steps: Step[]
  readonly #streams: boolean
  readonly #sink: Sink
  readonly #writer: ReturnType<typeof chatClient.writer>
  readonly #head = {
    id: `chatcmpl-${randomUUID()}`,
    model: 'signalbox/demo',
    createdSeconds: Math.floor(Date.now() / 1000),
  }
  readonly #idleTimer: IdleTimer
  readonly #idleMs: number
  #stepIndex = 0
  #isPaused = false
  #isOver = false
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined

  constructor(chat: ChatRequest, steps: Step[], timeouts: Timeouts, sink: Sink) {
    this.#steps = steps
    this.#streams = chat.stream === true
    this.#sink = sink
    this.#writer = chatClient.writer(this.#head, { includeUsage: true })
    this.#idleMs = timeouts.idleMs
    this.#idleTimer = new IdleTimer(() => this.#fail('timeout', 'the demo model sent no more data'))
    this.#idleTimer.start(timeouts.firstByteMs)
  }

  start(): void {
    this.#timer = setImmediate(() => {
      this.#sink.head(200, { 'content-type': this.#streams ? 'text/event-stream' : 'application/json' })
      this.#next()
    })
  }

  abort(): void {
    this.#fail('aborted', 'the client disconnected')
  }

  pause(): void {
    this.#isPaused = true
    this.#idleTimer.stop()
  }

  resume(): void {
    if (!this.#isPaused || this.#isOver) return
    this.#isPaused = false
    this.#idleTimer.start(this.#idleMs)
    this.#next()
  }

  /** Plays steps until one takes time or the reader pauses. */
  #next(): void {
    while (!this.#isOver && !this.#isPaused) {
      const step = this.#steps[this.#stepIndex]
      if (!step) return this.#end()
      this.#stepIndex++
      if (step.afterMs > 0) {
        this.#timer = setTimeout(() => {
          if (this.#playStep(step)) this.#next()
        }, step.afterMs)
        return
      }
      if (!this.#playStep(step)) return
    }
  }

  /** @returns whether the next step can follow at once. */
  #playStep(step: Step): boolean {
    if ('stop' in step) {
      if (step.stop === 'cut') this.#fail('reset', 'the demo model closed the connection')
      return false
    }
    this.#idleTimer.start(this.#idleMs)
    if (step.event.type === 'error') return this.#endWithError(step.event)
    // A whole answer is written at its end.
    if (!this.#streams) return true
    const text = this.#writer.event(step.event)
    if (text) this.#sink.data(Buffer.from(text))
    return true
  }

  #endWithError({ message, status = 502 }: { message: string; status: number | undefined }): false {
    const error = { error: { message, code: status } }
    this.#sink.data(Buffer.from(this.#streams ? `data: ${JSON.stringify(error)}\n\n` : JSON.stringify(error)))
    this.#finish(() => this.#sink.end())
    return false
  }

  #end(): void {
    const events = this.#steps.flatMap((step) => ('event' in step ? [step.event] : []))
    const last = this.#streams
      ? this.#writer.end(undefined)
      : JSON.stringify(chatClient.writeBody(this.#head, events, undefined))
    this.#sink.data(Buffer.from(last))
    this.#finish(() => this.#sink.end())
  }

  #fail(kind: TransportFailure['kind'], message: string): void {
    const phase = this.#stepIndex > 0 && this.#streams ? 'answer' : 'first_byte'
    this.#finish(() => this.#sink.failed({ kind, phase, message }))
  }

  #finish(notify: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#idleTimer.stop()
    clearTimeout(this.#timer as NodeJS.Timeout)
    clearImmediate(this.#timer as NodeJS.Immediate)
    notify()
  }
}

import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { writeCompletion } from '../../clients/chat/completion.ts'
import type { AnswerHead, ClientProtocol, CostNote, StreamWriter } from '../../protocol/client-protocol.ts'
import type { Body } from '../../protocol/request-body.ts'

/** The name of the tool for models. Function names cannot contain a colon. */
export const clockName = 'openrouter_datetime'

/**
 * Combines the answers of several rounds (`clock.ts`) into one. The client gets one end, the total usage, and the other
 * events of all rounds without the calls of the clock.
 */
export class ClockRounds {
  readonly #clientProtocol: ClientProtocol
  readonly #request: Body
  #writer: StreamWriter | undefined
  #hasWritten = false
  #round = 0
  #isLast = false
  #roundEvents: AnswerEvent[] = []
  #clockCallIds: string[] = []
  #clockCalls = new Set<number>()
  /** Maps the indexes of the client's tool calls to indexes without gaps. */
  #clientCalls = new Map<number, number>()
  #wholeEvents: AnswerEvent[] = []
  /** The tokens of completed rounds. */
  #tokens: TokenCounts | undefined
  /** The tokens of this round so far. Some upstreams report them with each event. */
  #tokensOfRound: TokenCounts | undefined
  #costUsd = 0
  #hasFailed = false

  /** @param request the client's body, which some protocols repeat. */
  constructor(clientProtocol: ClientProtocol, request: Body) {
    this.#clientProtocol = clientProtocol
    this.#request = request
  }

  startRound(isLast: boolean): void {
    this.#round++
    this.#isLast = isLast
    this.#resetRound()
  }

  /** The ids of the calls to answer before the next round; empty after the last one. */
  get callsToAnswer(): readonly string[] {
    return this.#continues ? this.#clockCallIds : []
  }

  /** The model's message of this round, which the next round sends back. */
  get assistantMessage(): Body {
    const head = { id: '', model: '', createdSeconds: 0 }
    const { choices } = writeCompletion(head, this.#roundEvents, undefined) as { choices: [{ message: Body }] }
    // Fields of answers. Not every provider accepts them in a message of a request.
    const { annotations: _annotations, images: _images, refusal: _refusal, ...message } = choices[0].message
    return message
  }

  /** The protocol of a round: takes chat requests, and writes answers of the client's protocol. */
  get client(): ClientProtocol {
    // The body of a round is a chat request, so the fields and request headers of the client's own protocol do not apply to it.
    const { serviceOnlyFields: _fields, headersFor: _headersFor, ...inherited } = this.#clientProtocol
    return {
      ...inherited,
      protocol: 'openai-chat',
      rewrites: true,
      toChat: (body) => body as ReturnType<ClientProtocol['toChat']>,
      writer: (head, options) => this.#roundWriter(head, options),
      writeBody: (head, events, cost) => this.#writeBody(head, events, cost),
    }
  }

  /** A response that stays open until the last round has ended. */
  response(clientResponse: ResponseStream): ResponseStream {
    return {
      get opened() {
        return clientResponse.opened
      },
      signal: clientResponse.signal,
      header: (name, value) => clientResponse.header(name, value),
      write: (piece) => clientResponse.write(piece),
      onDrain: (listener) => clientResponse.onDrain(listener),
      end: (last) => {
        if (!this.#continues) clientResponse.end(last)
        else if (last) clientResponse.write(last)
      },
    }
  }

  /** Writes the end of a stream after a failed round. */
  fail(error: Parameters<StreamWriter['fail']>[0]): string | undefined {
    return this.#writer?.fail(error)
  }

  /** Whether another round follows: the model called only the clock. A call of a client's tool ends the answer. */
  get #continues(): boolean {
    return this.#clockCallIds.length > 0 && this.#clientCalls.size === 0 && !this.#isLast && !this.#hasFailed
  }

  #resetRound(): void {
    this.#roundEvents = []
    this.#clockCallIds = []
    this.#clockCalls = new Set()
    this.#clientCalls = new Map()
    this.#tokensOfRound = undefined
  }

  #roundWriter(head: AnswerHead, options: Parameters<ClientProtocol['writer']>[1]): StreamWriter {
    this.#resetRound()
    // Until something was written, another attempt can restart the answer, with the head of its endpoint. Later rounds
    // continue the stream with the same writer.
    if (!this.#hasWritten) this.#writer = this.#clientProtocol.writer({ ...head, request: this.#request }, options)
    const writer = this.#writer!
    const write = (events: AnswerEvent[]) => {
      if (events.length > 0) this.#hasWritten = true
      return events.map(writer.event).join('')
    }
    return {
      event: (event) => write(this.#filterEvent(event)),
      end: (cost) => {
        this.#addRound(cost)
        return this.#continues ? '' : write(this.#usageEvents()) + writer.end(cost && { costUsd: this.#costUsd })
      },
      fail: (error) => {
        this.#hasFailed = true
        return writer.fail(error)
      },
    }
  }

  #writeBody(head: AnswerHead, events: AnswerEvent[], cost: CostNote | undefined): object {
    this.#resetRound()
    this.#wholeEvents.push(...events.flatMap((event) => this.#filterEvent(event)))
    this.#addRound(cost)
    // The body of a round that another one follows is not sent.
    if (this.#continues) return {}
    const allEvents = [...this.#wholeEvents, ...this.#usageEvents()]
    return this.#clientProtocol.writeBody(
      { ...head, request: this.#request },
      allEvents,
      cost && { costUsd: this.#costUsd },
    )
  }

  /** Records an event of a round. @returns the events that the client gets for it. */
  #filterEvent(event: AnswerEvent): AnswerEvent[] {
    this.#roundEvents.push(event)
    switch (event.type) {
      case 'tool_call':
        if (event.name !== clockName) {
          this.#clientCalls.set(event.index, this.#clientCalls.size)
          return [{ ...event, index: this.#clientCalls.size - 1 }]
        }
        this.#clockCalls.add(event.index)
        this.#clockCallIds.push(event.id)
        return []
      case 'tool_arguments':
        return this.#clockCalls.has(event.index)
          ? []
          : [{ ...event, index: this.#clientCalls.get(event.index) ?? event.index }]
      case 'usage':
        this.#tokensOfRound = event.tokens
        return []
      case 'started':
        return this.#round === 1 ? [event] : []
      case 'finish':
        if (this.#continues) return []
        // The model called the clock in the last round, although `tool_choice` forbids it. The client does not get this call.
        return [this.#clientCalls.size === 0 && this.#clockCallIds.length > 0 ? { ...event, reason: 'stop' } : event]
      default:
        return [event]
    }
  }

  #usageEvents(): AnswerEvent[] {
    return this.#tokens ? [{ type: 'usage', tokens: this.#tokens }] : []
  }

  /** Adds tokens and cost of a round. */
  #addRound(cost: CostNote | undefined): void {
    if (this.#tokensOfRound) this.#tokens = addTokens(this.#tokens, this.#tokensOfRound)
    this.#tokensOfRound = undefined
    // Rounded, to remove errors of binary floating point.
    this.#costUsd = Number((this.#costUsd + (cost?.costUsd ?? 0)).toPrecision(12))
  }
}

function addTokens(total: TokenCounts | undefined, added: TokenCounts): TokenCounts {
  if (!total) return added
  return {
    prompt: total.prompt + added.prompt,
    completion: total.completion + added.completion,
    cached: total.cached + added.cached,
    cacheWritten: total.cacheWritten + added.cacheWritten,
    reasoning: total.reasoning + added.reasoning,
  }
}

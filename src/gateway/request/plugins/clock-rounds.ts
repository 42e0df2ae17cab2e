import type { CompletionEvent, TokenCounts } from '#chat/events.ts'
import { pushAll } from '#platform/core/push-all.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { writeCompletion } from '../../clients/chat/completion.ts'
import type { ClientProtocol, CostNote, ResponseHead, StreamWriter } from '../../protocol/client-protocol.ts'
import type { Body } from '../../protocol/request-body.ts'
import { ClockRound, type RoundPosition } from './clock-round.ts'

/**
 * Combines the responses of several rounds (`clock.ts`) into one. The client gets one end, the total usage, and the other
 * events of all rounds without the calls of the clock.
 */
export class ClockRounds {
  readonly #clientProtocol: ClientProtocol
  readonly #request: Body
  #writer: StreamWriter | undefined
  #hasWritten = false
  #position: RoundPosition = 'first'
  /** Replaced by each round, and by each attempt of a round. */
  #round = new ClockRound('first')
  #head: ResponseHead = { id: '', model: '', createdSeconds: 0 }
  #wholeEvents: CompletionEvent[] = []
  /** The tokens of completed rounds. */
  #tokens: TokenCounts | undefined
  #costUsd = 0
  #hasFailed = false

  /** @param request the client's body, which some protocols repeat. */
  constructor(clientProtocol: ClientProtocol, request: Body) {
    this.#clientProtocol = clientProtocol
    this.#request = request
  }

  startRound(position: RoundPosition): void {
    this.#position = position
    this.#round = new ClockRound(position)
  }

  /** The ids of the calls to answer before the next round; empty after the last one. */
  get callsWithoutResult(): readonly string[] {
    return this.#hasNextRound ? this.#round.clockCallIds : []
  }

  /** The model's message of this round, which the next round sends back. */
  get assistantMessage(): Body {
    const { choices } = writeCompletion(this.#head, this.#round.events, undefined) as { choices: [{ message: Body }] }
    // Fields of responses. Not every provider accepts them in a message of a request.
    const { annotations: _annotations, images: _images, refusal: _refusal, ...message } = choices[0].message
    return message
  }

  /** The protocol of a round: takes chat requests, and writes responses of the client's protocol. */
  get roundProtocol(): ClientProtocol {
    // The body of a round is a chat request, so the fields and request headers of the client's own protocol do not apply to it.
    const { serviceOnlyFields: _fields, upstreamHeaders: _upstreamHeaders, ...inherited } = this.#clientProtocol
    return {
      ...inherited,
      protocol: 'openai-chat',
      conversation: 'messages',
      rewritesResponses: true,
      toChat: (body) => body as ReturnType<ClientProtocol['toChat']>,
      createWriter: (head, options) => this.#createRoundWriter(head, options),
      writeBody: (head, events, cost) => this.#writeBody(head, events, cost),
    }
  }

  /** A response that stays open until the last round has ended. */
  createRoundResponse(clientResponse: ResponseStream): ResponseStream {
    return {
      get opened() {
        return clientResponse.opened
      },
      signal: clientResponse.signal,
      header: (name, value) => clientResponse.header(name, value),
      write: (piece) => clientResponse.write(piece),
      onDrain: (listener) => clientResponse.onDrain(listener),
      end: (last) => {
        if (!this.#hasNextRound) clientResponse.end(last)
        else if (last) clientResponse.write(last)
      },
    }
  }

  /** Encodes the end of a stream after a failed round. @returns undefined if no round has started to write. */
  fail(error: Parameters<StreamWriter['fail']>[0]): string | undefined {
    return this.#writer?.fail(error)
  }

  /** Whether another round follows. */
  get #hasNextRound(): boolean {
    return this.#round.hasNextRound && !this.#hasFailed
  }

  #createRoundWriter(head: ResponseHead, options: Parameters<ClientProtocol['createWriter']>[1]): StreamWriter {
    const round = new ClockRound(this.#position)
    this.#round = round
    this.#head = head
    // Until something was written, another attempt can restart the response, with the head of its endpoint. Later rounds
    // continue the stream with the same writer.
    const existing = this.#hasWritten ? this.#writer : undefined
    const writer = existing ?? this.#clientProtocol.createWriter({ ...head, request: this.#request }, options)
    this.#writer = writer
    const write = (events: CompletionEvent[]) => {
      if (events.length > 0) this.#hasWritten = true
      return events.map(writer.event).join('')
    }
    return {
      event: (event) => write(round.filterEvent(event)),
      end: (cost) => {
        this.#addRound(cost)
        return this.#hasNextRound
          ? ''
          : write(this.#createUsageEvents()) + writer.end(cost && { costUsd: this.#costUsd })
      },
      fail: (error) => {
        this.#hasFailed = true
        return writer.fail(error)
      },
    }
  }

  #writeBody(head: ResponseHead, events: CompletionEvent[], cost: CostNote | undefined): object {
    const round = new ClockRound(this.#position)
    this.#round = round
    this.#head = head
    for (const event of events) pushAll(this.#wholeEvents, round.filterEvent(event))
    this.#addRound(cost)
    // The body of a round that another one follows is not sent.
    if (this.#hasNextRound) return {}
    const allEvents = [...this.#wholeEvents, ...this.#createUsageEvents()]
    return this.#clientProtocol.writeBody(
      { ...head, request: this.#request },
      allEvents,
      cost && { costUsd: this.#costUsd },
    )
  }

  #createUsageEvents(): CompletionEvent[] {
    return this.#tokens ? [{ type: 'usage', tokens: this.#tokens }] : []
  }

  /** Adds tokens and cost of a round. */
  #addRound(cost: CostNote | undefined): void {
    const { tokens } = this.#round
    if (tokens) this.#tokens = addTokens(this.#tokens, tokens)
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

import type { AnswerEvent, TokenCounts } from '#chat/events.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { completionOf } from '../../clients/chat/completion.ts'
import type { AnswerHead, Body, ClientProtocol, CostNote, StreamWriter } from '../../protocol/protocol.ts'

/** The tool's name for models: function names have no colon. */
export const clockName = 'openrouter_datetime'

/**
 * One answer that is made of several rounds. Its client sees what every round says but the calls of the clock, and one
 * end; what the rounds took is added up.
 */
export class ClockRounds {
  readonly #real: ClientProtocol
  readonly #request: Body
  #writer: StreamWriter | undefined
  #wrote = false
  #round = 0
  #isLast = false
  #heard: AnswerEvent[] = []
  #calls: string[] = []
  #ours = new Set<number>()
  /** The client's own calls, numbered without gaps. */
  #others = new Map<number, number>()
  #kept: AnswerEvent[] = []
  /** Of the rounds that are over. */
  #tokens: TokenCounts | undefined
  /** Of this round so far: some upstreams tell it with each piece. */
  #tokensOfRound: TokenCounts | undefined
  #costUsd = 0
  #failed = false

  /** @param request the client's own body, which some protocols say back. */
  constructor(real: ClientProtocol, request: Body) {
    this.#real = real
    this.#request = request
  }

  begin(isLast: boolean): void {
    this.#round++
    this.#isLast = isLast
    this.#forget()
  }

  /** The ids of the calls that are to be answered before the next round; none where this was the last. */
  get calls(): readonly string[] {
    return this.#goesOn ? this.#calls : []
  }

  /** The model's message of this round, which the next round sends back. */
  get message(): Body {
    const head = { id: '', model: '', createdSeconds: 0 }
    const { choices } = completionOf(head, this.#heard, undefined) as { choices: [{ message: Body }] }
    const { annotations: _cited, images: _made, refusal: _refused, ...message } = choices[0].message
    return message
  }

  /** It takes chats, and gives what the real client takes. */
  get client(): ClientProtocol {
    const { ownFields: _own, headersFor: _headers, ...real } = this.#real
    return {
      ...real,
      protocol: 'openai-chat',
      rewrites: true,
      toChat: (body) => body as ReturnType<ClientProtocol['toChat']>,
      writer: (head, options) => this.#roundWriter(head, options),
      writeBody: (head, events, cost) => this.#body(head, events, cost),
    }
  }

  /** The stream goes on until the last round is over. */
  response(inner: ResponseStream): ResponseStream {
    return {
      get opened() {
        return inner.opened
      },
      signal: inner.signal,
      header: (name, value) => inner.header(name, value),
      write: (piece) => inner.write(piece),
      onDrain: (listener) => inner.onDrain(listener),
      end: (last) => void (this.#goesOn ? last && inner.write(last) : inner.end(last)),
    }
  }

  /** The last words of a stream that could not go on. */
  fail(error: Parameters<StreamWriter['fail']>[0]): string | undefined {
    return this.#writer?.fail(error)
  }

  get #goesOn(): boolean {
    return this.#calls.length > 0 && this.#others.size === 0 && !this.#isLast && !this.#failed
  }

  #forget(): void {
    this.#heard = []
    this.#calls = []
    this.#ours = new Set()
    this.#others = new Map()
    this.#tokensOfRound = undefined
  }

  #roundWriter(head: AnswerHead, options: Parameters<ClientProtocol['writer']>[1]): StreamWriter {
    this.#forget()
    if (!this.#wrote) this.#writer = this.#real.writer({ ...head, request: this.#request }, options)
    const writer = this.#writer!
    const say = (events: AnswerEvent[]) => {
      if (events.length > 0) this.#wrote = true
      return events.map(writer.event).join('')
    }
    return {
      event: (event) => say(this.#seen(event)),
      end: (cost) => {
        this.#add(cost)
        return this.#goesOn ? '' : say(this.#usage()) + writer.end(cost && { costUsd: this.#costUsd })
      },
      fail: (error) => {
        this.#failed = true
        return writer.fail(error)
      },
    }
  }

  #body(head: AnswerHead, events: AnswerEvent[], cost: CostNote | undefined): object {
    this.#forget()
    this.#kept.push(...events.flatMap((event) => this.#seen(event)))
    this.#add(cost)
    if (this.#goesOn) return {}
    const all = [...this.#kept, ...this.#usage()]
    return this.#real.writeBody({ ...head, request: this.#request }, all, cost && { costUsd: this.#costUsd })
  }

  /** The part of an event that the client gets. */
  #seen(event: AnswerEvent): AnswerEvent[] {
    this.#heard.push(event)
    switch (event.type) {
      case 'tool_call':
        if (event.name !== clockName) {
          this.#others.set(event.index, this.#others.size)
          return [{ ...event, index: this.#others.size - 1 }]
        }
        this.#ours.add(event.index)
        this.#calls.push(event.id)
        return []
      case 'tool_arguments':
        return this.#ours.has(event.index) ? [] : [{ ...event, index: this.#others.get(event.index) ?? event.index }]
      case 'usage':
        this.#tokensOfRound = event.tokens
        return []
      case 'started':
        return this.#round === 1 ? [event] : []
      case 'finish':
        if (this.#goesOn) return []
        return [this.#others.size === 0 && this.#calls.length > 0 ? { ...event, reason: 'stop' } : event]
      default:
        return [event]
    }
  }

  #usage(): AnswerEvent[] {
    return this.#tokens ? [{ type: 'usage', tokens: this.#tokens }] : []
  }

  /** The round is over. */
  #add(cost: CostNote | undefined): void {
    if (this.#tokensOfRound) this.#tokens = sumOf(this.#tokens, this.#tokensOfRound)
    this.#tokensOfRound = undefined
    // Sums of decimals, without the noise of binary ones.
    this.#costUsd = Number((this.#costUsd + (cost?.costUsd ?? 0)).toPrecision(12))
  }
}

function sumOf(sum: TokenCounts | undefined, more: TokenCounts): TokenCounts {
  if (!sum) return more
  return {
    prompt: sum.prompt + more.prompt,
    completion: sum.completion + more.completion,
    cached: sum.cached + more.cached,
    cacheWritten: sum.cacheWritten + more.cacheWritten,
    reasoning: sum.reasoning + more.reasoning,
  }
}

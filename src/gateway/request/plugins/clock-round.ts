import type { CompletionEvent, TokenCounts } from '#chat/events.ts'

/** The name of the tool for models. Function names cannot contain a colon. */
export const clockName = 'openrouter_datetime'

export type RoundPosition = 'first' | 'middle' | 'last'

/** The events of one round, and those of them that the client gets: all except the calls of the clock. */
export class ClockRound {
  readonly #position: RoundPosition
  readonly #events: CompletionEvent[] = []
  readonly #clockCallIds: string[] = []
  readonly #clockCalls = new Set<number>()
  /** Maps the indexes of the client's tool calls to indexes without gaps. */
  readonly #clientCalls = new Map<number, number>()
  #tokens: TokenCounts | undefined

  constructor(position: RoundPosition) {
    this.#position = position
  }

  /** All events so far. */
  get events(): CompletionEvent[] {
    return this.#events
  }

  get clockCallIds(): readonly string[] {
    return this.#clockCallIds
  }

  /** The tokens so far. Some upstreams report them with each event. */
  get tokens(): TokenCounts | undefined {
    return this.#tokens
  }

  /** Whether another round follows: the model called only the clock. A call of a client's tool ends the response. */
  get hasNextRound(): boolean {
    return this.#clockCallIds.length > 0 && this.#clientCalls.size === 0 && this.#position !== 'last'
  }

  /** Records an event. @returns the events that the client gets for it. */
  filterEvent(event: CompletionEvent): CompletionEvent[] {
    this.#events.push(event)
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
        if (this.#clockCalls.has(event.index)) return []
        return [{ ...event, index: this.#clientCalls.get(event.index) ?? event.index }]
      case 'usage':
        this.#tokens = event.tokens
        return []
      case 'started':
        return this.#position === 'first' ? [event] : []
      case 'finish':
        if (this.hasNextRound) return []
        // The model called the clock in the last round, although `tool_choice` forbids it. The client does not get this call.
        return [this.#clientCalls.size === 0 && this.#clockCallIds.length > 0 ? { ...event, reason: 'stop' } : event]
      default:
        return [event]
    }
  }
}

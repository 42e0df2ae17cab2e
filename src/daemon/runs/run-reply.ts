import type { Refusal } from '#interns/contract/refusal.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import { type Backpressure, Outbox, type OutboxLimits } from './outbox.ts'

export type TurnStream = AsyncIterableIterator<TurnEvent>

/** The replies of a run, each a stream for one caller: the first to its prompt, the following ones to answers. */
export class RunReply {
  /** Resolves when the reply to the prompt starts. Rejects with a `Refusal` if the run ends before that. */
  readonly started: Promise<TurnStream>
  readonly #outbox: Outbox
  readonly #onDisconnect: () => void
  readonly #start = Promise.withResolvers<TurnStream>()
  readonly #first: TurnStream

  /** @param onDisconnect is called when a caller disconnects before the end of its stream. */
  constructor(limits: OutboxLimits, backpressure: Backpressure, onDisconnect: () => void) {
    this.#outbox = new Outbox(limits, backpressure)
    this.#onDisconnect = onDisconnect
    this.#first = this.#outbox.attach(undefined, onDisconnect)
    this.started = this.#start.promise
    this.started.catch(() => {})
  }

  /** Starts the reply to the prompt. */
  start(events: TurnEvent[]): void {
    for (const event of events) this.#outbox.push(event)
    this.#start.resolve(this.#first)
  }

  /** Attaches another caller. Its stream starts with `first`, and then has the output that no caller received. */
  resume(first: TurnEvent): TurnStream {
    return this.#outbox.attach(first, this.#onDisconnect)
  }

  push(event: TurnEvent): void {
    this.#outbox.push(event)
  }

  hasCaller(): boolean {
    return this.#outbox.attached()
  }

  /** Whether the run wrote more output without a caller than is stored. */
  wasOutputLost(): boolean {
    return this.#outbox.overflowed()
  }

  /** Ends the stream of the caller, with an event if there is one. */
  end(event: TurnEvent | undefined): void {
    if (event && this.hasCaller()) this.#outbox.push(event)
    else this.#outbox.abandon()
  }

  /** Ends a run whose reply did not start. */
  refuse(refusal: Refusal): void {
    this.#outbox.abandon()
    this.#start.reject(refusal)
  }
}

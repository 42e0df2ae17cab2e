import type { Refusal } from '#interns/contract/refusal.ts'
import type { TurnCaller } from '#interns/contract/runs.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import { type Backpressure, Outbox, type OutboxLimits } from './outbox.ts'

export type TurnStream = AsyncIterableIterator<TurnEvent>

/** The options of a caller for its reply. */
type ReplyOptions = Pick<TurnCaller, 'activity' | 'background'>

/** The replies of a run, each a stream for one caller: the first to its prompt, the following ones to answers. */
export class RunReply {
  /** Resolves when the reply to the prompt starts. Rejects with a `Refusal` if the run ends before that. */
  readonly started: Promise<TurnStream>
  readonly #outbox: Outbox
  readonly #onDisconnect: () => void
  readonly #start = Promise.withResolvers<TurnStream>()
  readonly #first: TurnStream
  #includesActivity: boolean
  #isInBackground: boolean

  /** @param onDisconnect is called when a caller disconnects early from a run that is not in the background. */
  constructor(
    limits: OutboxLimits,
    backpressure: Backpressure,
    { activity = false, background = false }: ReplyOptions,
    onDisconnect: () => void,
  ) {
    this.#outbox = new Outbox(limits, backpressure)
    this.#includesActivity = activity
    this.#isInBackground = background
    this.#onDisconnect = onDisconnect
    this.#first = this.#outbox.attach(undefined, () => this.disconnect())
    this.started = this.#start.promise
    this.started.catch(() => {})
  }

  /** Whether the caller receives tool calls and plans in addition to the reply. */
  get includesActivity(): boolean {
    return this.#includesActivity
  }

  /** Whether the run continues when its caller disconnects. */
  get isInBackground(): boolean {
    return this.#isInBackground
  }

  /** Starts the reply to the prompt. */
  start(events: TurnEvent[]): void {
    for (const event of events) this.push(event)
    this.#start.resolve(this.#first)
  }

  /** Attaches another caller. Its stream starts with `first`, and then has the output that no caller received. */
  resume(first: TurnEvent, { activity = false, background = false }: ReplyOptions): TurnStream {
    this.#includesActivity = activity
    // A run that is in the background stays there.
    this.#isInBackground ||= background
    return this.#outbox.attach(first, () => this.disconnect())
  }

  /** Sends an event to the caller. Without a caller, the output of a background run is only in the transcript. */
  push(event: TurnEvent): void {
    if (!this.#isInBackground || this.#outbox.isAttached()) this.#outbox.push(event)
  }

  /** Whether the run wrote more output without a caller than is stored. */
  wasOutputLost(): boolean {
    return this.#outbox.hasOverflowed()
  }

  /** Notes that the caller has disconnected before the end of its stream. */
  disconnect(): void {
    if (!this.#isInBackground) this.#onDisconnect()
  }

  /** Disconnects a caller that reads too slowly. */
  disconnectReader(): void {
    this.#outbox.abandon()
    this.disconnect()
  }

  /** Ends the stream of the caller, with an event if there is one. */
  end(event: TurnEvent | undefined): void {
    if (event && this.#outbox.isAttached()) this.#outbox.push(event)
    else this.#outbox.abandon()
  }

  /** Ends a run whose reply did not start. */
  refuse(refusal: Refusal): void {
    this.#outbox.abandon()
    this.#start.reject(refusal)
  }
}

import type { TurnCaller } from '#interns/contract/daemon-api.ts'
import type { Refusal } from '#interns/contract/refusal.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import { type Backpressure, Outbox, type OutboxLimits } from './outbox.ts'

export type TurnStream = AsyncIterableIterator<TurnEvent>

/** The options of a caller for its reply. */
type ReplyOptions = Pick<TurnCaller, 'activity' | 'background'>

/**
 * The output of a run, as a stream for one caller at a time: first for the caller that sent the prompt, then for each caller that
 * answers a question of the agent.
 */
export class RunReply {
  /** Resolves when the reply to the prompt starts. Rejects with a `Refusal` if the run ends before that. */
  readonly whenStarted: Promise<TurnStream>
  readonly #outbox: Outbox
  readonly #onDisconnect: () => void
  readonly #start = Promise.withResolvers<TurnStream>()
  readonly #promptStream: TurnStream
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
    this.#promptStream = this.#outbox.attach(undefined, () => this.onCallerLeft())
    this.whenStarted = this.#start.promise
    this.whenStarted.catch(() => {})
  }

  /** Whether the caller receives tool calls and plans in addition to the reply. */
  get includesActivity(): boolean {
    return this.#includesActivity
  }

  /** Whether the run continues when its caller disconnects. */
  get isInBackground(): boolean {
    return this.#isInBackground
  }

  get isAttached(): boolean {
    return this.#outbox.isAttached()
  }

  /** Starts the reply to the prompt. */
  start(events: TurnEvent[]): void {
    for (const event of events) this.push(event)
    this.#start.resolve(this.#promptStream)
  }

  /** Attaches another caller. Its stream starts with `startedEvent`, and then has the output that no caller received. */
  resume(startedEvent: TurnEvent, { activity = false, background = false }: ReplyOptions): TurnStream {
    this.#includesActivity = activity
    // A run that is in the background stays in the background.
    this.#isInBackground ||= background
    return this.#outbox.attach(startedEvent, () => this.onCallerLeft())
  }

  /** Sends an event to the caller. Without a caller, the output of a background run is only in the transcript. */
  push(event: TurnEvent): void {
    if (!this.#isInBackground || this.#outbox.isAttached()) this.#outbox.push(event)
  }

  /** Whether the run wrote more output without a caller than is stored for the next one. */
  wasOutputLost(): boolean {
    return this.#outbox.hasOverflowed()
  }

  /** Notes that the caller has left before the end of its stream. */
  onCallerLeft(): void {
    if (!this.#isInBackground) this.#onDisconnect()
  }

  /** Disconnects a caller that reads too slowly. */
  dropSlowCaller(): void {
    this.#outbox.abandon()
    this.onCallerLeft()
  }

  /** Ends the stream of the caller with its closing event. Without one, or without a caller, discards what is unsent. */
  end(closingEvent: TurnEvent | undefined): void {
    if (closingEvent && this.#outbox.isAttached()) this.#outbox.push(closingEvent)
    else this.#outbox.abandon()
  }

  /** Ends a run whose reply did not start. */
  refuse(refusal: Refusal): void {
    this.#outbox.abandon()
    this.#start.reject(refusal)
  }
}

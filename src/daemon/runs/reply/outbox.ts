import { closesStream, type TurnEvent } from '#interns/contract/turn-event.ts'

export type OutboxLimits = {
  /** The unread bytes of a caller above which the run's agent is paused. */
  maxUnsentBytes: number
  /** The most bytes that a run can write while no caller is attached: UTF-8 bytes of its events as they are sent. */
  maxReplayBytes: number
}

/** `start` is called when the caller is slow, `stop` when it has caught up or disconnected. */
export type Backpressure = { start(): void; stop(): void }

/** The events of one run for its caller. While no caller is attached, the events are stored for the next caller. */
export class Outbox {
  readonly #limits: OutboxLimits
  readonly #backpressure: Backpressure
  /** Events for the attached caller. */
  #unsent = new EventQueue()
  /** Events for the next caller. */
  #replay = new EventQueue()
  #hasOverflowed = false
  #isBackpressured = false
  #reader: { wake: () => void } | undefined
  /** The caller's stream has its closing event: further events are for the next caller. */
  #isClosed = false

  constructor(limits: OutboxLimits, backpressure: Backpressure) {
    this.#limits = limits
    this.#backpressure = backpressure
  }

  push(event: TurnEvent): void {
    if (!this.#reader || this.#isClosed) return this.#storeForReplay(event)
    this.#unsent.add(event)
    this.#isClosed = closesStream(event)
    this.#updateBackpressure()
    this.#reader.wake()
  }

  /**
   * Returns the stream of one caller: `first`, the stored events, and new events up to the one that closes it. `onLeave` is
   * called if the caller leaves before it has read that event. The iterator is not a generator, whose `return` would wait for
   * a pending `next`.
   */
  attach(first: TurnEvent | undefined, onLeave: () => void): AsyncIterableIterator<TurnEvent> {
    this.abandon()
    // The caller answers a question, so stored ones are closed.
    this.#unsent = this.#replay.without('question.asked')
    this.#replay = new EventQueue()
    this.#isClosed = false
    let wake = Promise.withResolvers<void>()
    let pending = first
    const reader = { wake: () => wake.resolve() }
    this.#reader = reader
    const next = async (): Promise<IteratorResult<TurnEvent>> => {
      while (this.#reader === reader) {
        const event = pending ?? this.#unsent.take()
        pending = undefined
        this.#updateBackpressure()
        if (event) {
          if (closesStream(event)) this.abandon()
          return { done: false, value: event }
        }
        wake = Promise.withResolvers()
        await wake.promise
      }
      return { done: true, value: undefined }
    }
    const leave = async (): Promise<IteratorResult<TurnEvent>> => {
      if (this.#reader === reader) {
        this.abandon()
        onLeave()
      }
      return { done: true, value: undefined }
    }
    const stream = { next, return: leave, [Symbol.asyncIterator]: () => stream }
    return stream
  }

  isAttached(): boolean {
    return this.#reader !== undefined
  }

  /** Ends the stream of the caller without a closing event. */
  abandon(): void {
    this.#reader?.wake()
    this.#reader = undefined
    this.#unsent = new EventQueue()
    this.#updateBackpressure()
  }

  /** Whether the run wrote more without a caller than is stored. Then the stream cannot be resumed. */
  hasOverflowed(): boolean {
    return this.#hasOverflowed
  }

  /** Starts backpressure above the limit. Ends it below half of the limit, or without a caller. */
  #updateBackpressure(): void {
    const threshold = this.#isBackpressured ? this.#limits.maxUnsentBytes / 2 : this.#limits.maxUnsentBytes
    const isHigh = this.#reader !== undefined && !this.#isClosed && this.#unsent.bytes > threshold
    if (isHigh === this.#isBackpressured) return
    this.#isBackpressured = isHigh
    if (isHigh) this.#backpressure.start()
    else this.#backpressure.stop()
  }

  #storeForReplay(event: TurnEvent): void {
    if (this.#hasOverflowed) return
    this.#replay.add(event)
    if (this.#replay.bytes <= this.#limits.maxReplayBytes) return
    this.#replay = new EventQueue()
    this.#hasOverflowed = true
  }
}

/** Small unread pieces of text are joined up to this size. */
const maxJoinedBytes = 16_384

/** An event with the size of its line of JSON. */
type SizedEvent = { event: TurnEvent; bytes: number }

class EventQueue {
  readonly #events: SizedEvent[] = []
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(event: TurnEvent): void {
    const next = { event, bytes: sizeOf(event) }
    const last = this.#events.at(-1)
    const joined = last && joinText(last, next)
    if (joined) this.#events[this.#events.length - 1] = joined
    else this.#events.push(next)
    this.#bytes += joined ? joined.bytes - last.bytes : next.bytes
  }

  without(type: TurnEvent['type']): EventQueue {
    const queue = new EventQueue()
    for (const { event } of this.#events) if (event.type !== type) queue.add(event)
    return queue
  }

  take(): TurnEvent | undefined {
    const first = this.#events.shift()
    if (first) this.#bytes -= first.bytes
    return first?.event
  }
}

/** The bytes of an event as a line of JSON. */
const sizeOf = (event: TurnEvent) => Buffer.byteLength(JSON.stringify(event)) + 1

function joinText(last: SizedEvent, next: SizedEvent): SizedEvent | undefined {
  const before = last.event
  const after = next.event
  if (!('text' in before) || !('text' in after) || before.type !== after.type) return undefined
  const { type } = before
  // Both sizes less one envelope. This is too much only if the texts split a surrogate pair, whose halves are escaped in JSON.
  const bytes = last.bytes + next.bytes - sizeOf({ type, text: '' })
  return bytes > maxJoinedBytes ? undefined : { event: { type, text: before.text + after.text }, bytes }
}

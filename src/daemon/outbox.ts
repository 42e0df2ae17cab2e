import { closesStream, type TurnEvent } from '#interns/turn-event.ts'

export type OutboxLimits = {
  /** If the caller has not taken this many bytes of a run, the run's agent is paused. */
  maxUnsentBytes: number
  /** A run may write this many bytes while no caller is attached. */
  maxReplayBytes: number
}

/** Told when the caller is slow, and when it has caught up or gone. */
export type Backpressure = { begin(): void; end(): void }

/** The events of one run on their way to its caller, and the buffer that holds them while there is none. */
export class Outbox {
  readonly #limits: OutboxLimits
  readonly #backpressure: Backpressure
  #now = new EventQueue()
  #later = new EventQueue()
  #overflowed = false
  #pressed = false
  #reader: { wake: () => void } | undefined
  /** The caller's stream has its closing event: what comes now is for the next caller. */
  #sealed = false

  constructor(limits: OutboxLimits, backpressure: Backpressure) {
    this.#limits = limits
    this.#backpressure = backpressure
  }

  push(event: TurnEvent): void {
    if (!this.#reader || this.#sealed) return this.#keep(event)
    this.#now.add(event)
    this.#sealed = closesStream(event)
    this.#weigh()
    this.#reader.wake()
  }

  /**
   * The stream of one caller: `first`, what was kept for it, and all that comes, up to the event that closes it. `left`
   * is called when the caller goes before it has taken that event.
   */
  attach(first: TurnEvent | undefined, left: () => void): AsyncIterableIterator<TurnEvent> {
    this.abandon()
    this.#now = this.#later
    this.#later = new EventQueue()
    this.#sealed = false
    let woken = Promise.withResolvers<void>()
    let pending = first
    const me = { wake: () => woken.resolve() }
    this.#reader = me
    const next = async (): Promise<IteratorResult<TurnEvent>> => {
      while (this.#reader === me) {
        const event = pending ?? this.#now.take()
        pending = undefined
        this.#weigh()
        if (event) {
          if (closesStream(event)) this.abandon()
          return { done: false, value: event }
        }
        woken = Promise.withResolvers()
        await woken.promise
      }
      return { done: true, value: undefined }
    }
    const leave = async (): Promise<IteratorResult<TurnEvent>> => {
      if (this.#reader === me) {
        this.abandon()
        left()
      }
      return { done: true, value: undefined }
    }
    const stream = { next, return: leave, [Symbol.asyncIterator]: () => stream }
    return stream
  }

  attached(): boolean {
    return this.#reader !== undefined
  }

  /** Ends the stream of the caller as it is. */
  abandon(): void {
    this.#reader?.wake()
    this.#reader = undefined
    this.#now = new EventQueue()
    this.#weigh()
  }

  /** Whether more was written without an attached caller than is kept. The stream cannot be resumed then. */
  overflowed(): boolean {
    return this.#overflowed
  }

  /** Tells when the caller is slow, and again when it has caught up by half, or gone. */
  #weigh(): void {
    const threshold = this.#pressed ? this.#limits.maxUnsentBytes / 2 : this.#limits.maxUnsentBytes
    const high = this.#reader !== undefined && !this.#sealed && this.#now.bytes > threshold
    if (high === this.#pressed) return
    this.#pressed = high
    if (high) this.#backpressure.begin()
    else this.#backpressure.end()
  }

  #keep(event: TurnEvent): void {
    if (this.#overflowed) return
    this.#later.add(event)
    if (this.#later.bytes <= this.#limits.maxReplayBytes) return
    this.#later = new EventQueue()
    this.#overflowed = true
  }
}

/** The approximate memory of an event besides its text. */
const eventBytes = 100
/** Small pieces that nobody has taken yet are joined up to this size. */
const joinedBytes = 16_384

class EventQueue {
  readonly #events: TurnEvent[] = []
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(event: TurnEvent): void {
    const last = this.#events.at(-1)
    const joined = last && join(last, event)
    if (joined) this.#events[this.#events.length - 1] = joined
    else this.#events.push(event)
    this.#bytes += sizeOf(event) - (joined ? eventBytes : 0)
  }

  take(): TurnEvent | undefined {
    const event = this.#events.shift()
    if (event) this.#bytes -= sizeOf(event)
    return event
  }
}

function sizeOf(event: TurnEvent): number {
  return 'text' in event ? eventBytes + 2 * event.text.length : eventBytes
}

function join(last: TurnEvent, event: TurnEvent): TurnEvent | undefined {
  if (!('text' in last) || !('text' in event) || last.type !== event.type) return undefined
  if (2 * (last.text.length + event.text.length) > joinedBytes) return undefined
  return { type: last.type, text: last.text + event.text }
}

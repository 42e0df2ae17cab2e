import { closesStream, type TurnEvent } from '#interns/contract/turn-event.ts'

export type OutboxLimits = {
  /** If the caller has not taken this many bytes of a run, the run's agent is paused. */
  maxUnsentBytes: number
  /** A run can write this many bytes while no caller is attached: UTF-8 bytes of its events as they are sent. */
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

/** Small pieces that nobody has taken yet are joined up to this size. */
const joinedBytes = 16_384

/** An event with its size as it is sent. */
type Sized = { event: TurnEvent; bytes: number }

class EventQueue {
  readonly #events: Sized[] = []
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(event: TurnEvent): void {
    const next = { event, bytes: bytesOf(event) }
    const last = this.#events.at(-1)
    const joined = last && join(last, next)
    if (joined) this.#events[this.#events.length - 1] = joined
    else this.#events.push(next)
    this.#bytes += joined ? joined.bytes - last.bytes : next.bytes
  }

  take(): TurnEvent | undefined {
    const first = this.#events.shift()
    if (first) this.#bytes -= first.bytes
    return first?.event
  }
}

/** The bytes of an event as a line of JSON. */
const bytesOf = (event: TurnEvent) => Buffer.byteLength(JSON.stringify(event)) + 1

function join(last: Sized, next: Sized): Sized | undefined {
  const [before, after] = [last.event, next.event]
  if (!('text' in before) || !('text' in after) || before.type !== after.type) return undefined
  const { type } = before
  // Text of both together takes what each takes, unless a character was cut in two: then it takes less.
  const bytes = last.bytes + next.bytes - bytesOf({ type, text: '' })
  return bytes > joinedBytes ? undefined : { event: { type, text: before.text + after.text }, bytes }
}

import { closesStream, type TurnEvent } from '#interns/turn-event.ts'

export type OutboxLimits = {
  /** If the caller has not taken this many bytes of a run, the run's agent is paused. */
  maxUnsentBytes: number
  /** A run may write this many bytes while no caller is attached. */
  maxReplayBytes: number
}

/** Told when the caller is slow, and when it has caught up or gone. */
export type Backpressure = { begin(): void; end(): void }

export type Outbox = {
  push(event: TurnEvent): void
  /**
   * The stream of one caller: `first`, what was kept for it, and all that comes, up to the event that closes it. `left`
   * is called when the caller goes before it has taken that event.
   */
  attach(first: TurnEvent | undefined, left: () => void): AsyncIterableIterator<TurnEvent>
  attached(): boolean
  /** Ends the stream of the caller as it is. */
  abandon(): void
  /** Whether more was written without an attached caller than is kept. The stream cannot be resumed then. */
  overflowed(): boolean
}

/** The events of one run on their way to its caller, and the buffer that holds them while there is none. */
export function createOutbox(limits: OutboxLimits, backpressure: Backpressure): Outbox {
  let now = newQueue()
  let later = newQueue()
  let overflowed = false
  let pressed = false
  let reader: { wake: () => void } | undefined
  /** The caller's stream has its closing event: what comes now is for the next caller. */
  let sealed = false

  const weigh = () => {
    const threshold = pressed ? limits.maxUnsentBytes / 2 : limits.maxUnsentBytes
    const high = reader !== undefined && !sealed && now.bytes() > threshold
    if (high === pressed) return
    pressed = high
    if (pressed) backpressure.begin()
    else backpressure.end()
  }
  const keep = (event: TurnEvent) => {
    if (overflowed) return
    later.add(event)
    if (later.bytes() <= limits.maxReplayBytes) return
    later = newQueue()
    overflowed = true
  }
  const detach = () => {
    reader?.wake()
    reader = undefined
    now = newQueue()
    weigh()
  }

  return {
    push: (event) => {
      if (!reader || sealed) return keep(event)
      now.add(event)
      sealed = closesStream(event)
      weigh()
      reader.wake()
    },
    attach: (first, left) => {
      detach()
      now = later
      later = newQueue()
      sealed = false
      let woken = Promise.withResolvers<void>()
      let pending = first
      const me = { wake: () => woken.resolve() }
      reader = me
      const next = async (): Promise<IteratorResult<TurnEvent>> => {
        while (reader === me) {
          const event = pending ?? now.take()
          pending = undefined
          weigh()
          if (event) {
            if (closesStream(event)) detach()
            return { done: false, value: event }
          }
          woken = Promise.withResolvers()
          await woken.promise
        }
        return { done: true, value: undefined }
      }
      const leave = async (): Promise<IteratorResult<TurnEvent>> => {
        if (reader === me) {
          detach()
          left()
        }
        return { done: true, value: undefined }
      }
      const stream = { next, return: leave, [Symbol.asyncIterator]: () => stream }
      return stream
    },
    attached: () => reader !== undefined,
    abandon: detach,
    overflowed: () => overflowed,
  }
}

/** The approximate memory of an event besides its text. */
const eventBytes = 100
/** Small pieces that nobody has taken yet are joined up to this size. */
const joinedBytes = 16_384

function newQueue() {
  const events: TurnEvent[] = []
  let bytes = 0
  return {
    bytes: () => bytes,
    add: (event: TurnEvent) => {
      const last = events.at(-1)
      const joined = last && join(last, event)
      if (joined) events[events.length - 1] = joined
      else events.push(event)
      bytes += sizeOf(event) - (joined ? eventBytes : 0)
    },
    take: () => {
      const event = events.shift()
      if (event) bytes -= sizeOf(event)
      return event
    },
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

import type { Entry, TranscriptEvent } from '#interns/contract/transcript.ts'

/** The limits of unread events. A slower reader is disconnected; it can reconnect and resume. */
const limits = { events: 5_000, characters: 4 * 1024 * 1024 }
/** The limit of concurrent readers of one daemon. */
const maxFollowers = 64
/** A member with many streams does not exclude the others. */
const maxFollowersOfMember = maxFollowers / 2

/** The readers that receive new events of sessions. */
export class Followers {
  readonly #followers = new Set<Follower>()

  get isEmpty(): boolean {
    return this.#followers.size === 0
  }

  get isFull(): boolean {
    return this.#followers.size >= maxFollowers
  }

  /** Whether a member has all readers that it is allowed to have. */
  isFullFor(memberId: string | undefined): boolean {
    if (memberId === undefined) return false
    const ofMember = [...this.#followers].filter((follower) => follower.memberId === memberId)
    return ofMember.length >= maxFollowersOfMember
  }

  has(sessionId: string): boolean {
    return [...this.#followers].some((follower) => follower.sessionId === sessionId)
  }

  send(sessionId: string, event: TranscriptEvent): void {
    for (const follower of this.#followers) if (follower.sessionId === sessionId) follower.push(event)
  }

  /** Streams the stored events, and then new events. */
  follow(reader: Reader, signal: AbortSignal): AsyncIterableIterator<TranscriptEvent, undefined> {
    const follower = new Follower(reader, () => this.#followers.delete(follower))
    this.#followers.add(follower)
    const leave = () => follower.leave()
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    return follower.stream()
  }
}

/** `catchUp` reads the stored events page by page until one is empty. */
type Reader = { sessionId: string; memberId: string | undefined; catchUp: () => TranscriptEvent[] }

/** A reader of one session. New events are queued while it reads the stored ones. */
class Follower {
  readonly sessionId: string
  readonly memberId: string | undefined
  readonly #catchUp: () => TranscriptEvent[]
  readonly #onLeave: () => void
  #stored: TranscriptEvent[] = []
  #isCaughtUp = false
  /** The entries that the reader received with the stored events. A queued event of the same state is skipped. */
  readonly #sent = new Map<number, SentState>()
  readonly #queued: TranscriptEvent[] = []
  #queuedCharacters = 0
  #hasLeft = false
  #wake = () => {}

  constructor({ sessionId, memberId, catchUp }: Reader, onLeave: () => void) {
    this.sessionId = sessionId
    this.memberId = memberId
    this.#catchUp = catchUp
    this.#onLeave = onLeave
  }

  push(event: TranscriptEvent): void {
    this.#queued.push(event)
    this.#queuedCharacters += sizeOf(event)
    if (this.#queued.length > limits.events || this.#queuedCharacters > limits.characters) this.leave()
    this.#wake()
  }

  leave(): void {
    this.#hasLeft = true
    this.#onLeave()
    this.#wake()
  }

  /** Returns the events for the reader. The iterator is not a generator, whose `return` would wait for a pending `next`. */
  stream(): AsyncIterableIterator<TranscriptEvent, undefined> {
    const stream: AsyncIterableIterator<TranscriptEvent, undefined> = {
      next: () => this.#next(),
      return: async () => {
        this.leave()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]: () => stream,
    }
    return stream
  }

  async #next(): Promise<IteratorResult<TranscriptEvent, undefined>> {
    while (!this.#hasLeft) {
      const event = this.#takeStored() ?? this.#takeQueued()
      if (event) return { done: false, value: event }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    return { done: true, value: undefined }
  }

  #takeStored(): TranscriptEvent | undefined {
    if (this.#isCaughtUp) return undefined
    if (this.#stored.length === 0) this.#stored = this.#catchUp()
    const event = this.#stored.shift()
    if (!event) this.#isCaughtUp = true
    else if (event.type === 'entry') this.#sent.set(event.entry.id, stateOf(event.entry))
    return event
  }

  #takeQueued(): TranscriptEvent | undefined {
    for (let event = this.#queued.shift(); event; event = this.#queued.shift()) {
      this.#queuedCharacters -= sizeOf(event)
      if (!wasSent(event, this.#sent)) return event
    }
    return undefined
  }
}

type SentState = { revision: number; length: number }

const stateOf = (entry: Entry): SentState => ({
  revision: entry.revision,
  length: 'text' in entry ? entry.text.length : 0,
})

/** Whether the reader has received this event with the stored ones. */
function wasSent(event: TranscriptEvent, sent: ReadonlyMap<number, SentState>): boolean {
  if (event.type === 'entry') return event.entry.revision <= (sent.get(event.entry.id)?.revision ?? 0)
  return event.offset < (sent.get(event.id)?.length ?? 0)
}

/** The approximate size of an event of text without its text. */
const textOverhead = 100

const sizeOf = (event: TranscriptEvent) =>
  event.type === 'text' ? textOverhead + event.text.length : JSON.stringify(event.entry).length

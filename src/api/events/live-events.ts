import type { Caller } from '#identity/accounts/caller.ts'
import { endOverdueQuestions } from '#interns/runs/questions.ts'
import { type Reconciler, startReconciler } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { readEventBounds, readEventsFrom, type StoredEvent } from '#platform/db/event-log.ts'
import { type Cursor, isAfter, type LiveEvent, wholeRow } from './live-event.ts'
import { toLiveEvents } from './to-live-events.ts'

/** The intervals for reading the event log, and for ending overdue questions, while there are listeners. */
const pollMs = 250
const sweepMs = 1000

/** Limits of a read, and of the buffer for listeners that lag a little. */
const rowsPerRead = 50
const maxBuffered = 1000
const eventsPerRead = 500

const maxPerKey = 100
const maxListeners = 2000

type LiveEventsDeps = {
  db: Db
  now: Now
  isShuttingDown: () => boolean
  onError: (error: Error) => void
}

/** A connected client. */
export type Listener = {
  caller: Caller
  /** From this row on, the shared buffer has all events for this listener. */
  liveFrom: number
  /** Called for new events, and at the end. */
  wake: () => void
  /** The server is about to stop. */
  isOver: boolean
}

/** The events after a cursor and the new cursor; or `unknown` if the log no longer has them. */
export type NextEvents = { events: LiveEvent[]; cursor: Cursor } | 'unknown'

/**
 * Delivers the events of all servers to the listeners of this process. The event log is read once for all listeners, and
 * only while there are any. Listeners that lag or reconnect read the log themselves. The only state of a listener is its
 * position in the log.
 */
export class LiveEvents {
  readonly #deps: LiveEventsDeps
  readonly #listeners = new Set<Listener>()
  #reading: Reconciler | undefined
  #sweptAt = 0
  /** The last read row; undefined without listeners. */
  #head: number | undefined
  /** The latest events, and the row before the first of them. */
  #held: LiveEvent[] = []
  #heldAfter = 0
  #catchUpPromise: Promise<unknown> = Promise.resolve()

  constructor(deps: LiveEventsDeps) {
    this.#deps = deps
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** @throws Fault `rate_limited` with too many listeners. */
  join(caller: Caller): Listener {
    const own = [...this.#listeners].filter((listener) => listener.caller.keyHash === caller.keyHash).length
    if (own >= maxPerKey || this.#listeners.size >= maxListeners)
      throw new Fault('rate_limited', 'Too many event streams are open. Close unused ones.')
    const listener: Listener = { caller, liveFrom: Number.POSITIVE_INFINITY, wake: () => {}, isOver: false }
    this.#listeners.add(listener)
    this.#reading ??= startReconciler(() => this.#readOnce(), {
      firstMs: 0,
      retryMs: pollMs,
      onError: this.#deps.onError,
    })
    return listener
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  /** The cursor after the newest event. */
  async newest(): Promise<Cursor> {
    return { seq: (await readEventBounds(this.#deps)).newest, n: wholeRow }
  }

  /** The events after a cursor, from memory if possible; undefined without new events. */
  async after(listener: Listener, cursor: Cursor): Promise<NextEvents | undefined> {
    const head = this.#head
    const shared: Cursor = { seq: Math.max(listener.liveFrom, this.#heldAfter), n: wholeRow }
    if (head !== undefined && !isAfter(shared, cursor)) {
      const last = { seq: head, n: wholeRow }
      return isAfter(last, cursor) ? { events: this.#heldSince(cursor), cursor: last } : undefined
    }
    // Sequential reads: many reconnecting listeners must not block the database for others.
    const read = this.#catchUpPromise.then(() => this.#read(cursor))
    this.#catchUpPromise = read.catch(() => {})
    return read
  }

  #heldSince(cursor: Cursor): LiveEvent[] {
    let from = this.#held.length
    while (from > 0 && isAfter(this.#held[from - 1]!, cursor)) from--
    return this.#held.slice(from)
  }

  async #read(cursor: Cursor): Promise<NextEvents | undefined> {
    const { oldest, newest } = await readEventBounds(this.#deps)
    // The rows before the oldest were deleted, or never existed.
    if (cursor.seq > newest || isAfter({ seq: oldest - 1, n: wholeRow }, cursor)) return 'unknown'
    const rows = await readEventsFrom(this.#deps, cursor.n === wholeRow ? cursor.seq + 1 : cursor.seq, rowsPerRead)
    const events: LiveEvent[] = []
    let seq: number | undefined
    for (const row of rows) {
      events.push(...(await toLiveEvents(this.#deps, row)))
      seq = row.seq
      if (events.length >= eventsPerRead) break
    }
    if (seq === undefined) return undefined
    return { events: events.filter((event) => isAfter(event, cursor)), cursor: { seq, n: wholeRow } }
  }

  /** After a failure the next pass continues at the same row. */
  async #readOnce(): Promise<number> {
    if (this.#listeners.size > 0) await this.#poll()
    else this.#stopReading()
    return pollMs
  }

  #stopReading(): void {
    void this.#reading?.stop()
    this.#reading = undefined
    this.#head = undefined
    this.#held = []
  }

  async #poll(): Promise<void> {
    if (this.#deps.isShuttingDown()) return this.close()
    await this.#readNext()
    if (performance.now() - this.#sweptAt < sweepMs) return
    this.#sweptAt = performance.now()
    await endOverdueQuestions(this.#deps)
  }

  async #readNext(): Promise<void> {
    if (this.#head === undefined) {
      const { newest } = await readEventBounds(this.#deps)
      this.#head = newest
      this.#heldAfter = newest
    }
    const head = this.#head
    const listeners = [...this.#listeners]
    const organizations = new Set(listeners.map(({ caller }) => caller.organizationId))
    const rows = await readEventsFrom(this.#deps, head + 1, rowsPerRead)
    for (const row of rows) await this.#take(row, organizations)
    for (const listener of listeners) {
      // Listeners that joined during the read share its rows.
      if (rows.length > 0 || listener.liveFrom > head) listener.wake()
      listener.liveFrom = Math.min(listener.liveFrom, head)
    }
  }

  async #take(row: StoredEvent, organizations: ReadonlySet<string>): Promise<void> {
    const isRelevant = row.organizationId === null || organizations.has(row.organizationId)
    const events = isRelevant ? await toLiveEvents(this.#deps, row) : []
    this.#held.push(...events)
    this.#head = row.seq
    if (this.#held.length <= maxBuffered) return
    const { seq } = this.#held[this.#held.length - maxBuffered / 2]!
    this.#heldAfter = seq
    this.#held = this.#held.filter((event) => event.seq > seq)
  }

  /** Ends all streams. Clients reconnect to another server. */
  close(): void {
    for (const listener of this.#listeners) {
      listener.isOver = true
      listener.wake()
    }
  }
}

import type { Caller } from '#identity/accounts/caller.ts'
import { endOverdueQuestions } from '#interns/runs/questions.ts'
import { type Reconciler, startReconciler } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { readEventBounds, readEventsFrom, type StoredEvent } from '#platform/db/event-log.ts'
import { type Cursor, isAfter, type LiveEvent, wholeRow } from './live-event.ts'
import { toLiveEvents } from './to-live-events.ts'

/** The interval for reading the event log while there are listeners. */
const pollMs = 250

/** The interval for ending overdue questions while there are listeners. */
const sweepMs = 1000

/** Limits of one read of the log. */
const rowsPerRead = 50
const eventsPerRead = 500

/** The most recent events that are kept in memory for listeners that lag a little. */
const maxRecent = 1000

/** The most event streams of one process. */
const maxOfKey = 100
/** A member with many keys cannot use all streams of a process. */
const maxOfMember = 1000
const maxOfProcess = 2000

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
  hasEnded: boolean
}

/** The events after a cursor and the new cursor; or `unknown` if the log no longer has them. */
type NextEvents = { events: LiveEvent[]; cursor: Cursor } | 'unknown'

/**
 * Delivers the events of all servers to the listeners of this process. The event log is read once for all listeners, and
 * only while there are any. Listeners that lag or reconnect read the log themselves. The only state of a listener is its
 * position in the log.
 */
export class LiveEvents {
  readonly #deps: LiveEventsDeps
  readonly #listeners = new Set<Listener>()
  #reconciler: Reconciler | undefined
  #sweptAt = 0
  /** The last read row; undefined without listeners. */
  #head: number | undefined
  /** The latest events. */
  #recent: LiveEvent[] = []
  /** The row before the first of `#recent`. */
  #recentAfter = 0
  /** The last read for a listener that lags. Such reads run one after the other. */
  #catchUpPromise: Promise<unknown> = Promise.resolve()

  constructor(deps: LiveEventsDeps) {
    this.#deps = deps
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** @throws Fault `rate_limited` with too many listeners. */
  join(caller: Caller): Listener {
    this.#requireRoom(caller)
    const listener: Listener = { caller, liveFrom: Number.POSITIVE_INFINITY, wake: () => {}, hasEnded: false }
    this.#listeners.add(listener)
    this.#reconciler ??= startReconciler(() => this.#pass(), {
      firstMs: 0,
      retryMs: pollMs,
      onError: this.#deps.onError,
    })
    return listener
  }

  #requireRoom({ keyHash, userId }: Caller): void {
    const callers = [...this.#listeners].map((listener) => listener.caller)
    const refuse = (owner: string, limit: number): never => {
      throw new Fault('rate_limited', `${owner} has ${limit} open event streams, the maximum. Close unused ones.`)
    }
    if (callers.filter((other) => other.keyHash === keyHash).length >= maxOfKey) refuse('This key', maxOfKey)
    if (callers.filter((other) => other.userId === userId).length >= maxOfMember) refuse('This member', maxOfMember)
    if (callers.length >= maxOfProcess) refuse('The server', maxOfProcess)
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  /** The cursor after the newest event. */
  async newestCursor(): Promise<Cursor> {
    return { seq: (await readEventBounds(this.#deps)).newest, index: wholeRow }
  }

  /** The events after a cursor, from memory if possible; undefined without new events. */
  async eventsAfter(listener: Listener, cursor: Cursor): Promise<NextEvents | undefined> {
    const head = this.#head
    const bufferStart: Cursor = { seq: Math.max(listener.liveFrom, this.#recentAfter), index: wholeRow }
    if (head !== undefined && !isAfter(bufferStart, cursor)) {
      const last = { seq: head, index: wholeRow }
      return isAfter(last, cursor) ? { events: this.#recentSince(cursor), cursor: last } : undefined
    }
    // Sequential reads: many reconnecting listeners must not block the database for others.
    const read = this.#catchUpPromise.then(() => this.#readLog(cursor))
    this.#catchUpPromise = read.catch(() => {})
    return read
  }

  #recentSince(cursor: Cursor): LiveEvent[] {
    const lastKnown = this.#recent.findLastIndex((event) => !isAfter(event, cursor))
    return this.#recent.slice(lastKnown + 1)
  }

  async #readLog(cursor: Cursor): Promise<NextEvents | undefined> {
    const { oldest, newest } = await readEventBounds(this.#deps)
    // The rows before the oldest were deleted, or never existed.
    if (cursor.seq > newest || isAfter({ seq: oldest - 1, index: wholeRow }, cursor)) return 'unknown'
    const rows = await readEventsFrom(this.#deps, cursor.index === wholeRow ? cursor.seq + 1 : cursor.seq, rowsPerRead)
    const events: LiveEvent[] = []
    let seq: number | undefined
    for (const row of rows) {
      events.push(...(await toLiveEvents(this.#deps, row)))
      seq = row.seq
      if (events.length >= eventsPerRead) break
    }
    if (seq === undefined) return undefined
    return { events: events.filter((event) => isAfter(event, cursor)), cursor: { seq, index: wholeRow } }
  }

  /** Reads the log once. After a failure the next pass continues at the same row. @returns the delay until the next. */
  async #pass(): Promise<number> {
    if (this.#listeners.size > 0) await this.#poll()
    else this.#stopReading()
    return pollMs
  }

  #stopReading(): void {
    void this.#reconciler?.stop()
    this.#reconciler = undefined
    this.#head = undefined
    this.#recent = []
  }

  async #poll(): Promise<void> {
    if (this.#deps.isShuttingDown()) return this.close()
    await this.#advanceHead()
    if (performance.now() - this.#sweptAt < sweepMs) return
    this.#sweptAt = performance.now()
    // A daemon that is gone cannot end its questions. While there are listeners they end here, so that screens do not show them.
    await endOverdueQuestions(this.#deps)
  }

  async #advanceHead(): Promise<void> {
    if (this.#head === undefined) {
      const { newest } = await readEventBounds(this.#deps)
      this.#head = newest
      this.#recentAfter = newest
    }
    const head = this.#head
    // Copied before the read: a listener that joins during it gets its live position from the next read.
    const listeners = [...this.#listeners]
    const organizations = new Set(listeners.map(({ caller }) => caller.organizationId))
    const rows = await readEventsFrom(this.#deps, head + 1, rowsPerRead)
    for (const row of rows) await this.#addToRecent(row, organizations)
    for (const listener of listeners) {
      if (rows.length > 0 || listener.liveFrom > head) listener.wake()
      listener.liveFrom = Math.min(listener.liveFrom, head)
    }
  }

  async #addToRecent(row: StoredEvent, organizations: ReadonlySet<string>): Promise<void> {
    const isRelevant = row.organizationId === null || organizations.has(row.organizationId)
    const events = isRelevant ? await toLiveEvents(this.#deps, row) : []
    this.#recent.push(...events)
    this.#head = row.seq
    if (this.#recent.length <= maxRecent) return
    // Half of the events are dropped at once, in whole rows.
    this.#recentAfter = this.#recent.at(-maxRecent / 2)?.seq ?? row.seq
    this.#recent = this.#recent.filter((event) => event.seq > this.#recentAfter)
  }

  /** Ends all streams. Clients reconnect to another server. */
  close(): void {
    for (const listener of this.#listeners) {
      listener.hasEnded = true
      listener.wake()
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '#identity/accounts/caller.ts'
import { endOverdueQuestions } from '#interns/runs/questions.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { eventBounds, eventsFrom, type KeptEvent } from '#platform/db/event-log.ts'
import { type Cursor, isAfter, type LiveEvent, wholeRow } from './live-event.ts'
import { toLiveEvents } from './to-live-events.ts'

/** How often the event log is looked at while somebody listens, and how often questions are that nobody answers. */
const lookEveryMs = 250
const sweepEveryMs = 1000

/** How many rows one look takes, and how many events are held in memory for listeners who are a little behind. */
const rowsAtOnce = 50
const heldAtMost = 1000
const eventsAtOnce = 500

const perKeyAtMost = 100
const inAllAtMost = 2000

type LiveEventsDeps = {
  db: Db
  now: Now
  isShuttingDown: () => boolean
  onError: (error: Error) => void
}

/** Somebody who listens. */
export type Listener = {
  caller: Caller
  /** From where on the shared events have all that is for this listener. */
  sharedFrom: number
  /** There may be something new, or it is over. */
  wake: () => void
  /** The server is about to stop. */
  isOver: boolean
}

/** What comes after a cursor, and where it leads; or that this is not known any more. */
export type Following = { events: LiveEvent[]; upTo: Cursor } | 'unknown'

/**
 * The events of all servers, as this process tells them. While nobody listens, nothing is done. While somebody does, the
 * event log is read once for all of them; who is behind, or comes back, reads on for himself. Nothing is kept for a
 * listener but a place in the log.
 */
export class LiveEvents {
  readonly #deps: LiveEventsDeps
  readonly #listeners = new Set<Listener>()
  #running: Promise<void> | undefined
  #sweptAt = 0
  /** Up to where the log has been read; undefined while nobody listens. */
  #head: number | undefined
  /** The latest events, and after which row they begin. */
  #held: LiveEvent[] = []
  #heldAfter = 0
  #catchingUp: Promise<unknown> = Promise.resolve()

  constructor(deps: LiveEventsDeps) {
    this.#deps = deps
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** @throws Fault `rate_limited` when there are too many already. */
  join(caller: Caller): Listener {
    const own = [...this.#listeners].filter((listener) => listener.caller.keyHash === caller.keyHash).length
    if (own >= perKeyAtMost || this.#listeners.size >= inAllAtMost)
      throw new Fault('rate_limited', 'Too many event streams are open already. Close those that are not needed.')
    const listener: Listener = { caller, sharedFrom: Number.POSITIVE_INFINITY, wake: () => {}, isOver: false }
    this.#listeners.add(listener)
    this.#running ??= this.#run()
    return listener
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  /** The place of now. */
  async newest(): Promise<Cursor> {
    return { seq: (await eventBounds(this.#deps)).newest, n: wholeRow }
  }

  /** What comes after a cursor, from memory where it can be; `undefined` when there is nothing new. */
  async after(listener: Listener, cursor: Cursor): Promise<Following | undefined> {
    const head = this.#head
    const shared: Cursor = { seq: Math.max(listener.sharedFrom, this.#heldAfter), n: wholeRow }
    if (head !== undefined && !isAfter(shared, cursor)) {
      const upTo = { seq: head, n: wholeRow }
      return isAfter(upTo, cursor) ? { events: this.#heldSince(cursor), upTo } : undefined
    }
    // One after the other: many who come back together must not take the database from all others.
    const read = this.#catchingUp.then(() => this.#read(cursor))
    this.#catchingUp = read.catch(() => {})
    return read
  }

  #heldSince(cursor: Cursor): LiveEvent[] {
    let from = this.#held.length
    while (from > 0 && isAfter(this.#held[from - 1]!, cursor)) from--
    return this.#held.slice(from)
  }

  async #read(cursor: Cursor): Promise<Following | undefined> {
    const { oldest, newest } = await eventBounds(this.#deps)
    // The rows before the oldest are forgotten, or there never were any.
    if (cursor.seq > newest || isAfter({ seq: oldest - 1, n: wholeRow }, cursor)) return 'unknown'
    const rows = await eventsFrom(this.#deps, cursor.n === wholeRow ? cursor.seq + 1 : cursor.seq, rowsAtOnce)
    const events: LiveEvent[] = []
    let seq: number | undefined
    for (const row of rows) {
      events.push(...(await toLiveEvents(this.#deps, row)))
      seq = row.seq
      if (events.length >= eventsAtOnce) break
    }
    if (seq === undefined) return undefined
    return { events: events.filter((event) => isAfter(event, cursor)), upTo: { seq, n: wholeRow } }
  }

  async #run(): Promise<void> {
    while (this.#listeners.size > 0) {
      // The log is read on from the same place when the database is back.
      await this.#look().catch(this.#deps.onError)
      await sleep(lookEveryMs, undefined, { ref: false })
    }
    this.#running = undefined
    this.#head = undefined
    this.#held = []
  }

  async #look(): Promise<void> {
    if (this.#deps.isShuttingDown()) return this.close()
    await this.#readOn()
    if (performance.now() - this.#sweptAt < sweepEveryMs) return
    this.#sweptAt = performance.now()
    await endOverdueQuestions(this.#deps)
  }

  async #readOn(): Promise<void> {
    if (this.#head === undefined) {
      const { newest } = await eventBounds(this.#deps)
      this.#head = newest
      this.#heldAfter = newest
    }
    const head = this.#head
    const listeners = [...this.#listeners]
    const organizations = new Set(listeners.map(({ caller }) => caller.organizationId))
    const rows = await eventsFrom(this.#deps, head + 1, rowsAtOnce)
    for (const row of rows) await this.#take(row, organizations)
    for (const listener of listeners) {
      // What this look took, it took for them as well.
      if (rows.length > 0 || listener.sharedFrom > head) listener.wake()
      listener.sharedFrom = Math.min(listener.sharedFrom, head)
    }
  }

  async #take(row: KeptEvent, organizations: ReadonlySet<string>): Promise<void> {
    const isHeard = row.organizationId === null || organizations.has(row.organizationId)
    const events = isHeard ? await toLiveEvents(this.#deps, row) : []
    this.#held.push(...events)
    this.#head = row.seq
    if (this.#held.length <= heldAtMost) return
    const { seq } = this.#held[this.#held.length - heldAtMost / 2]!
    this.#heldAfter = seq
    this.#held = this.#held.filter((event) => event.seq > seq)
  }

  /** Ends all streams: clients come again, to a server that stays. */
  close(): void {
    for (const listener of this.#listeners) {
      listener.isOver = true
      listener.wake()
    }
  }
}

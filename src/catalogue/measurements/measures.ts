import { type Reconciler, startReconciler } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { computeFigures } from './compute-figures.ts'
import { type Figures, noFigures } from './figures.ts'
import type { Measurement } from './measurement.ts'
import { readTallyOfOtherWriters } from './read-tally.ts'
import {
  addMissingCells,
  countMeasurement,
  isEmptyTally,
  minuteOf,
  newTally,
  removeExpired,
  replaceSlots,
} from './tally.ts'
import { deleteExpired, writeTally } from './write-tally.ts'

type MeasuresDeps = {
  db: Db
  now: Now
  newId: NewId
  /** The retention of the history of endpoints, in days. */
  historyDays: number
  onError: (error: Error) => void
}
type MeasureTiming = { refreshMs?: number; exchangeMs?: number }

/** The overlap of two reads, because other servers can write late, and clocks differ. */
const rereadMs = 60_000

/**
 * Records measurements of requests in memory, sums them regularly, and stores them in the database. A crash loses the
 * measurements since the last exchange.
 */
export class Measures {
  readonly #deps: MeasuresDeps
  readonly #timing: Required<MeasureTiming>
  // Each process has a new id, so that its rows do not overwrite those of an earlier process.
  readonly #writer: string
  readonly #ownTally = newTally()
  readonly #otherTally = newTally()
  readonly #listeners = new Set<(figures: Figures) => void>()
  #unwritten = newTally()
  #figures = noFigures
  #refreshedMinute = 0
  #hasChanged = false
  /** The time of the last read. The first read starts at 0, which is `rereadMs` earlier. */
  #readAt = rereadMs
  #exchangedAt = performance.now()
  #reconciler: Reconciler | undefined

  private constructor(deps: MeasuresDeps, timing: Required<MeasureTiming>) {
    this.#deps = deps
    this.#timing = timing
    this.#writer = deps.newId()
  }

  /** Starts with the stored measurements. */
  static async start(
    deps: MeasuresDeps,
    { refreshMs = 5_000, exchangeMs = 20_000 }: MeasureTiming = {},
  ): Promise<Measures> {
    const measures = new Measures(deps, { refreshMs, exchangeMs })
    await measures.#read()
    await measures.refresh()
    measures.#exchangedAt = performance.now()
    measures.#reconciler = startReconciler(() => measures.#exchangeAndRefresh(), {
      firstMs: refreshMs,
      retryMs: refreshMs,
      onError: deps.onError,
    })
    return measures
  }

  /** Records a measurement in a few microseconds. Never throws. */
  record(measurement: Measurement): void {
    const at = measurement.at ?? this.#deps.now()
    countMeasurement(this.#ownTally, this.#unwritten, { ...measurement, at })
    this.#hasChanged = true
  }

  /** The figures of the last refresh, at most `refreshMs` ago. */
  figures(): Figures {
    return this.#figures
  }

  /** Calls `listener` with newer figures, at most once every `refreshMs` and only when something was measured or expired. */
  onRefresh(listener: (figures: Figures) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async refresh(): Promise<void> {
    const now = this.#deps.now()
    if (!this.#hasChanged && minuteOf(now) === this.#refreshedMinute) return
    const tallies = [this.#ownTally, this.#otherTally]
    // Checked before expired slots are removed: figures that become empty must still be computed once.
    const wasEmpty = tallies.every(isEmptyTally)
    this.#hasChanged = false
    this.#refreshedMinute = minuteOf(now)
    for (const tally of [...tallies, this.#unwritten]) removeExpired(tally, now)
    if (wasEmpty) return
    const figures = await computeFigures(tallies, now)
    this.#figures = figures
    for (const listener of this.#listeners) listener(figures)
  }

  /** Writes the counts of this server, reads those of others, and deletes expired ones. */
  async exchange(): Promise<void> {
    const { now, historyDays } = this.#deps
    await this.#write()
    await this.#read()
    await deleteExpired(this.#deps, now(), historyDays)
  }

  /** Stops, and writes the last counts. */
  async close(): Promise<void> {
    await this.#reconciler?.stop()
    await this.#write().catch(this.#deps.onError)
  }

  async #exchangeAndRefresh(): Promise<number> {
    const { refreshMs, exchangeMs } = this.#timing
    if (performance.now() - this.#exchangedAt >= exchangeMs) {
      await this.exchange().catch(this.#deps.onError)
      this.#exchangedAt = performance.now()
    }
    await this.refresh()
    return refreshMs
  }

  async #write(): Promise<void> {
    const changed = this.#unwritten
    if (isEmptyTally(changed)) return
    this.#unwritten = newTally()
    try {
      await writeTally(this.#deps, this.#writer, changed, this.#deps.now())
    } catch (error) {
      addMissingCells(this.#unwritten, changed)
      throw error
    }
  }

  async #read(): Promise<void> {
    const now = this.#deps.now()
    const since = this.#readAt - rereadMs
    const newer = await readTallyOfOtherWriters(this.#deps, { writer: this.#writer, since, now })
    replaceSlots(this.#otherTally, newer)
    this.#readAt = now
    this.#hasChanged ||= !isEmptyTally(newer)
  }
}

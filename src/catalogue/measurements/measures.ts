import { startReconciler } from '#platform/async/reconcile.ts'
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

/** Records measurements of requests in memory, sums them regularly, and stores them in the database. */
export type Measures = {
  /** Records a measurement in a few microseconds. Never throws. */
  record: (measurement: Measurement) => void
  /** The figures of the last refresh, at most `refreshMs` ago. */
  figures: () => Figures
  /** Calls `listener` with newer figures, at most once every `refreshMs` and only when something was measured or expired. */
  onRefresh: (listener: (figures: Figures) => void) => () => void
  refresh: () => Promise<void>
  /** Writes the counts of this server, reads those of others, and deletes expired ones. */
  exchange: () => Promise<void>
  /** Runs a last exchange and stops. */
  close: () => Promise<void>
}

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

/** Starts with the stored measurements. A crash loses the measurements since the last exchange. */
export async function createMeasures(
  deps: MeasuresDeps,
  { refreshMs = 5_000, exchangeMs = 20_000 }: MeasureTiming = {},
): Promise<Measures> {
  // Each process has a new id, so that its rows do not overwrite those of an earlier process.
  const writer = deps.newId()
  const ownTally = newTally()
  const otherTally = newTally()
  const listeners = new Set<(figures: Figures) => void>()
  let unwritten = newTally()
  let figures = noFigures
  let refreshedMinute = 0
  let hasChanged = false
  /** The time of the last read. The first read starts at 0, which is `rereadMs` earlier. */
  let readAt = rereadMs

  async function write(): Promise<void> {
    const changed = unwritten
    if (isEmptyTally(changed)) return
    unwritten = newTally()
    try {
      await writeTally(deps, writer, changed, deps.now())
    } catch (error) {
      addMissingCells(unwritten, changed)
      throw error
    }
  }

  async function read(): Promise<void> {
    const now = deps.now()
    const newer = await readTallyOfOtherWriters(deps, { writer, since: readAt - rereadMs, now })
    replaceSlots(otherTally, newer)
    readAt = now
    hasChanged ||= !isEmptyTally(newer)
  }

  async function refresh(): Promise<void> {
    const now = deps.now()
    if (!hasChanged && minuteOf(now) === refreshedMinute) return
    const tallies = [ownTally, otherTally]
    // Checked before expired slots are removed: figures that become empty must still be computed once.
    const wasEmpty = tallies.every(isEmptyTally)
    hasChanged = false
    refreshedMinute = minuteOf(now)
    for (const tally of [...tallies, unwritten]) removeExpired(tally, now)
    if (wasEmpty) return
    figures = await computeFigures(tallies, now)
    for (const listener of listeners) listener(figures)
  }

  async function exchange(): Promise<void> {
    await write()
    await read()
    await deleteExpired(deps, deps.now(), deps.historyDays)
  }

  await read()
  await refresh()
  let exchangedAt = performance.now()
  async function exchangeAndRefresh(): Promise<number> {
    if (performance.now() - exchangedAt >= exchangeMs) {
      await exchange().catch(deps.onError)
      exchangedAt = performance.now()
    }
    await refresh()
    return refreshMs
  }
  const { stop } = startReconciler(exchangeAndRefresh, {
    firstMs: refreshMs,
    retryMs: refreshMs,
    onError: deps.onError,
  })
  return {
    record(measurement) {
      countMeasurement(ownTally, unwritten, { ...measurement, at: measurement.at ?? deps.now() })
      hasChanged = true
    },
    figures: () => figures,
    onRefresh(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh,
    exchange,
    async close() {
      await stop()
      await write().catch(deps.onError)
    },
  }
}

import { startReconciler } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { type Figures, noFigures } from './figures.ts'
import type { Measurement } from './measurement.ts'
import { readOthers } from './read.ts'
import { count, expire, isEmpty, minuteOf, newTally, replaceSlots, takeCells } from './tally.ts'
import { figuresOf } from './view.ts'
import { deleteExpired, writeTally } from './write.ts'

/** Measurements of requests: recorded in memory, summed up later, stored in the database. */
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
type Rhythm = { refreshMs?: number; exchangeMs?: number }

/** Rows are read again for this time, because other servers can write late and their clocks can be behind. */
const hindsightMs = 60_000

/** Starts with the stored measurements. A crash loses the measurements since the last exchange. */
export async function createMeasures(
  deps: MeasuresDeps,
  { refreshMs = 5_000, exchangeMs = 20_000 }: Rhythm = {},
): Promise<Measures> {
  // A new name for each process, so that its rows do not overwrite those of an earlier process.
  const writer = deps.newId()
  const own = newTally()
  const others = newTally()
  const listeners = new Set<(figures: Figures) => void>()
  let unwritten = newTally()
  let figures = noFigures
  let refreshedMinute = 0
  let moved = false
  let readAt = hindsightMs

  async function write(): Promise<void> {
    const changed = unwritten
    if (isEmpty(changed)) return
    unwritten = newTally()
    try {
      await writeTally(deps, writer, changed, deps.now())
    } catch (error) {
      takeCells(unwritten, changed)
      throw error
    }
  }

  async function read(): Promise<void> {
    const now = deps.now()
    const newer = await readOthers(deps, { writer, since: readAt - hindsightMs, now })
    replaceSlots(others, newer)
    readAt = now
    moved ||= !isEmpty(newer)
  }

  async function refresh(): Promise<void> {
    const now = deps.now()
    if (!moved && minuteOf(now) === refreshedMinute) return
    const [nothingBefore, tallies] = [isEmpty(own) && isEmpty(others), [own, others]]
    moved = false
    refreshedMinute = minuteOf(now)
    for (const tally of [...tallies, unwritten]) expire(tally, now)
    if (nothingBefore) return
    figures = await figuresOf(tallies, now)
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
  async function pass(): Promise<number> {
    if (performance.now() - exchangedAt >= exchangeMs) {
      await exchange().catch(deps.onError)
      exchangedAt = performance.now()
    }
    await refresh()
    return refreshMs
  }
  const { stop } = startReconciler(pass, { firstMs: refreshMs, retryMs: refreshMs, onError: deps.onError })
  return {
    record(measurement) {
      count(own, unwritten, { ...measurement, at: measurement.at ?? deps.now() })
      moved = true
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

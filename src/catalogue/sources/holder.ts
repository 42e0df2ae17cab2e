import { setTimeout as sleep } from 'node:timers/promises'
import { serializeCalls } from '#platform/async/serialize-calls.ts'
import { Fault, StartupError } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Signals } from '#platform/db/signals.ts'
import type { CatalogueData } from '../index/model.ts'
import { compileSnapshot, type Snapshot } from '../index/snapshot.ts'
import { type Figures, noFigures } from '../measurements/figures.ts'
import { CatalogueRefused } from './layer.ts'
import { type CatalogueSettings, type Discover, type Loaded, type LoadReport, loadCatalogue } from './load.ts'

/** Holds the current catalogue. Call `current()` once per request; the returned snapshot does not change. */
export type CatalogueHolder = {
  current: () => Snapshot
  /** The report of the last successful load. */
  report: () => LoadReport
  /**
   * Reads all sources again and replaces the catalogue as a whole.
   * @throws Fault `conflict` with the reason; the catalogue does not change.
   */
  reload: () => Promise<LoadReport>
  /** Swaps in the same catalogue with newer measurements. */
  measured: (figures: Figures) => void
  /** The payload of this server's reload notifications, by which it recognizes and ignores its own. */
  origin: string
  close: () => void
}

type HolderDeps = {
  settings: CatalogueSettings
  signals: Pick<Signals, 'subscribe' | 'onMissed'>
  newId: NewId
  load?: typeof loadCatalogue
  /** Requests the model lists of servers; undefined to request none. */
  discover?: Discover | undefined
  /** A start waits this long for the lists of servers. Later lists are still used. */
  patienceMs?: number
  /** A first load that is running already. */
  loading?: ReturnType<typeof loadCatalogue>
  /** Called after every successful load. */
  onLoad: (report: LoadReport, data: CatalogueData) => void
  /** Called if a reload that another server requested has failed. */
  onError: (error: Error) => void
}

/** Loads the catalogue for the first time. @throws StartupError if a source cannot be used. */
export async function openCatalogue({
  settings,
  signals,
  newId,
  load = loadCatalogue,
  discover,
  patienceMs = 500,
  loading,
  onLoad,
  onError,
}: HolderDeps): Promise<CatalogueHolder> {
  const origin = newId()
  const first = await (loading ?? load(settings)).catch(refuseToStart)
  const discovers = discover !== undefined && first.data.providers.some((provider) => provider.discover)
  let report = first.report
  // Rows about discovered models are complete only after discovery.
  if (!discovers) onLoad(report, first.data)
  let figures = noFigures
  let snapshot = compileSnapshot(first.data, figures)

  const take = (next: Loaded) => {
    snapshot = compileSnapshot(next.data, figures)
    report = next.report
    onLoad(report, next.data)
    return report
  }
  const reload = serializeCalls(async () => {
    try {
      return take(await load(settings, discover))
    } catch (error) {
      if (!(error instanceof CatalogueRefused)) throw error
      // This server may not yet use the last valid catalogue, which another server loaded.
      if (error.inForce) take(error.inForce)
      throw new Fault('conflict', `The catalogue was not changed: ${error.message}`)
    }
  })
  const follow = () => void reload().catch(onError)
  const unsubscribe = [
    signals.subscribe('catalogue.changed', (announcedBy) => announcedBy !== origin && follow()),
    signals.onMissed(follow),
    ...(discover?.onBack ? [discover.onBack(follow)] : []),
  ]
  // An unreachable server does not delay the start.
  if (discovers) await Promise.race([reload().catch(onError), sleep(patienceMs, undefined, { ref: false })])
  return {
    current: () => snapshot,
    report: () => report,
    reload,
    measured(newer) {
      figures = newer
      snapshot = snapshot.withFigures(newer)
    },
    origin,
    close() {
      for (const end of unsubscribe) end()
    },
  }
}

function refuseToStart(error: unknown): never {
  throw error instanceof CatalogueRefused ? new StartupError(error.message) : error
}

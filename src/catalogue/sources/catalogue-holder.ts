import { serializeCalls } from '#platform/async/serialize-calls.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Signals } from '#platform/db/signals.ts'
import type { CatalogueData } from '../index/model.ts'
import { compileSnapshot, type Snapshot } from '../index/snapshot.ts'
import { type Figures, noFigures } from '../measurements/figures.ts'
import type { ModelDiscovery } from './discovery/model-discovery.ts'
import { CatalogueError, type Loaded, type LoadReport, throwAsUserFacingError } from './layer.ts'
import { type CatalogueSettings, loadCatalogue } from './load.ts'

/** The owner of the current catalogue. Call `current()` once per request; the returned snapshot does not change. */
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
  updateFigures: (figures: Figures) => void
  /** The payload of this server's notifications `catalogue.changed`, by which it recognizes and ignores its own. */
  notificationSenderId: string
  close: () => void
}

/** Where the catalogue of a server comes from. */
export type CatalogueLoader = {
  /** A first load that is running already, which can be the cached one of the previous start. */
  firstLoad?: Promise<Loaded>
  /** Loads it again; by default from the configured sources. */
  load?: typeof loadCatalogue
  /** Requests the model lists of servers; undefined to request none. */
  discovery?: ModelDiscovery | undefined
}

type HolderDeps = CatalogueLoader & {
  settings: CatalogueSettings
  signals: Pick<Signals, 'subscribe' | 'onMissed'>
  newId: NewId
  /** How long a start waits for the lists of servers. Later lists are still used. */
  discoveryTimeoutMs?: number
  /** Called after every successful load. */
  onLoad: (report: LoadReport, data: CatalogueData) => void
  /** Called if a reload that another server requested has failed. */
  onError: (error: Error) => void
}

/** Loads the catalogue for the first time. @throws UserFacingError if a source cannot be used. */
export async function openCatalogue({
  settings,
  signals,
  newId,
  load = loadCatalogue,
  discovery,
  discoveryTimeoutMs = 500,
  firstLoad,
  onLoad,
  onError,
}: HolderDeps): Promise<CatalogueHolder> {
  const notificationSenderId = newId()
  const initial = await (firstLoad ?? load(settings)).catch(throwAsUserFacingError)
  const needsDiscovery = discovery !== undefined && initial.data.providers.some((provider) => provider.discover)
  let report = initial.report
  // Otherwise called after discovery, because rows about discovered models are incomplete before it.
  if (!needsDiscovery) onLoad(report, initial.data)
  let figures = noFigures
  let snapshot = compileSnapshot(initial.data, figures)

  const useCatalogue = (loaded: Loaded) => {
    snapshot = compileSnapshot(loaded.data, figures)
    report = loaded.report
    onLoad(report, loaded.data)
    return report
  }
  const reload = serializeCalls(async () => {
    try {
      return useCatalogue(await load(settings, discovery))
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error
      // Another process may have loaded a valid catalogue that this one does not use yet.
      if (error.currentCatalogue) useCatalogue(error.currentCatalogue)
      throw new Fault('conflict', `The catalogue was not changed: ${error.message}`)
    }
  })
  const reloadInBackground = () => void reload().catch(onError)
  const unsubscribeAll = [
    signals.subscribe('catalogue.changed', (announcedBy) => {
      if (announcedBy !== notificationSenderId) reloadInBackground()
    }),
    signals.onMissed(reloadInBackground),
  ]
  if (discovery) unsubscribeAll.push(discovery.onRecovered(reloadInBackground))
  // An unreachable server does not delay the start.
  if (needsDiscovery) await waitAtMost(discoveryTimeoutMs, reload().catch(onError))
  return {
    current: () => snapshot,
    report: () => report,
    reload,
    updateFigures(newer) {
      figures = newer
      snapshot = snapshot.withFigures(newer)
    },
    notificationSenderId: notificationSenderId,
    close() {
      for (const unsubscribe of unsubscribeAll) unsubscribe()
    },
  }
}

import type { CatalogueData } from '#catalogue/index/model.ts'
import { CatalogueError, type Loaded, type LoadReport, throwAsStartupError } from '#catalogue/sources/layer.ts'
import { type CatalogueSettings, type Discover, loadCatalogue } from '#catalogue/sources/load.ts'
import { cacheKey, loadCached } from '#catalogue/sources/load-cache.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { Fault } from '#platform/core/fault.ts'
import type { CatalogueAnswer } from './calls.ts'

/** The catalogue of one host: read and merged once, and handed to each worker as the same bytes. */
export type CatalogueSource = {
  /** @param fresh whether to read changed sources and query the servers for their models again. */
  load: (request: { fresh: boolean }) => Promise<CatalogueAnswer>
  report: () => LoadReport
  /** As `CatalogueHolder.reload`. */
  reload: () => Promise<LoadReport>
}

type CatalogueSourceDeps = {
  settings: CatalogueSettings
  discover: Discover
  /** Called with the report and data of every successful load. */
  onLoad: (report: LoadReport, data: CatalogueData) => void
  /** Called when a server's list arrived after the start, or an unreachable server is reachable again. */
  onLateModelList: () => void
  /** How long a start waits for the lists of servers. */
  listTimeoutMs?: number
}

/** @throws StartupError when a source cannot be used. */
export async function openCatalogueSource(deps: CatalogueSourceDeps): Promise<CatalogueSource> {
  const { settings, discover, onLoad, onLateModelList, listTimeoutMs = 500 } = deps
  let loadedKey = cacheKey(settings)
  const first = await loadCached(settings).catch(throwAsStartupError)
  const hasDiscovery = first.data.providers.some((provider) => provider.discover)
  let { report } = first
  let catalogue = toBytes(first)
  let runningLoad: Promise<void> | undefined
  let nextLoad: Promise<void> | undefined

  async function loadIfChanged(): Promise<void> {
    // Computed before the sources are read, so that a change in between leads to another key next time.
    const currentKey = cacheKey(settings)
    if (currentKey === loadedKey && !hasDiscovery) return
    const loaded = await loadCatalogue(settings, discover)
    loadedKey = currentKey
    report = loaded.report
    catalogue = toBytes(loaded)
    onLoad(report, loaded.data)
  }
  /** Loads after the running load, which can have read before a change. Concurrent callers share the next load. */
  function reload(): Promise<void> {
    nextLoad ??= loadAfterRunning()
    return nextLoad
  }
  async function loadAfterRunning(): Promise<void> {
    await runningLoad?.catch(() => {})
    runningLoad = nextLoad
    nextLoad = undefined
    await loadIfChanged()
  }

  if (hasDiscovery) {
    const firstReload = reload().catch(() => {})
    if ((await waitAtMost(listTimeoutMs, firstReload, 'late')) === 'late') void firstReload.then(onLateModelList)
  } else onLoad(report, first.data)
  discover.onRecovered?.(() => void reload().then(onLateModelList, () => {}))
  return {
    async load({ fresh }) {
      try {
        if (fresh) await reload()
        return { catalogue }
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error
        return { catalogue, refused: error.message }
      }
    },
    report: () => report,
    async reload() {
      try {
        await reload()
        return report
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error
        throw new Fault('conflict', `The catalogue was not changed: ${error.message}`)
      }
    },
  }
}

const toBytes = (loaded: Loaded) => Buffer.from(JSON.stringify(loaded))

/**
 * Reads the primary's answer in a worker.
 * @throws CatalogueError like `loadCatalogue`.
 */
export function readCatalogueAnswer(answer: CatalogueAnswer): Loaded {
  const currentCatalogue = JSON.parse(Buffer.from(answer.catalogue).toString('utf8')) as Loaded
  if (answer.refused !== undefined) throw new CatalogueError(answer.refused, { currentCatalogue })
  return currentCatalogue
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { CatalogueData } from '#catalogue/index/model.ts'
import { CatalogueRefused } from '#catalogue/sources/layer.ts'
import {
  type CatalogueSettings,
  type Discover,
  type Loaded,
  type LoadReport,
  loadCatalogue,
} from '#catalogue/sources/load.ts'
import { loadCached, nameOfSources } from '#catalogue/sources/load-cache.ts'
import { Fault, StartupError } from '#platform/core/fault.ts'
import type { CatalogueAnswer } from './calls.ts'

/** The catalogue of one host: read and merged once, and handed to each worker as the same bytes. */
export type CatalogueSource = {
  /** @param fresh whether sources are looked at again, and servers asked again what they have. */
  load: (question: { fresh: boolean }) => Promise<CatalogueAnswer>
  report: () => LoadReport
  /** As `CatalogueHolder.reload`. */
  reload: () => Promise<LoadReport>
}

type CatalogueSourceDeps = {
  settings: CatalogueSettings
  discover: Discover
  /** Hears what every successful load found. */
  onLoad: (report: LoadReport, data: CatalogueData) => void
  /** A server's list came too late for the start, or a server that was away has come. */
  onLate: () => void
  /** A start waits this long for the lists of servers. */
  patienceMs?: number
}

/** @throws StartupError when a source cannot be used. */
export async function openCatalogueSource(deps: CatalogueSourceDeps): Promise<CatalogueSource> {
  const { settings, discover, onLoad, onLate, patienceMs = 500 } = deps
  let name = nameOfSources(settings)
  const first = await loadCached(settings).catch(refuseToStart)
  const discovers = first.data.providers.some((provider) => provider.discover)
  let { report } = first
  let catalogue = bytesOf(first)
  let [running, next]: (Promise<void> | undefined)[] = []

  async function read(): Promise<void> {
    // Named before the sources are read: what changes meanwhile has another name the next time.
    const now = nameOfSources(settings)
    if (now === name && !discovers) return
    const loaded = await loadCatalogue(settings, discover)
    name = now
    report = loaded.report
    catalogue = bytesOf(loaded)
    onLoad(report, loaded.data)
  }
  /** One that is under way may have looked before the change that is asked about; all who ask meanwhile share the next. */
  function readAnew(): Promise<void> {
    if (next) return next
    const begun: Promise<void> = (running ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        running = begun
        next = undefined
        return read()
      })
    next = begun
    return begun
  }

  if (discovers) {
    const reading = readAnew().catch(() => {})
    const isLate = await Promise.race([reading.then(() => false), sleep(patienceMs, true, { ref: false })])
    if (isLate) void reading.then(onLate)
  } else onLoad(report, first.data)
  discover.onBack?.(() => void readAnew().then(onLate, () => {}))
  return {
    async load({ fresh }) {
      try {
        if (fresh) await readAnew()
        return { catalogue }
      } catch (error) {
        if (!(error instanceof CatalogueRefused)) throw error
        return { catalogue, refused: error.message }
      }
    },
    report: () => report,
    async reload() {
      try {
        await readAnew()
        return report
      } catch (error) {
        if (!(error instanceof CatalogueRefused)) throw error
        throw new Fault('conflict', `The catalogue was left as it was: ${error.message}`)
      }
    },
  }
}

const bytesOf = (loaded: Loaded) => Buffer.from(JSON.stringify(loaded))

/**
 * Reads the primary's answer in a worker.
 * @throws CatalogueRefused like `loadCatalogue`.
 */
export function loadedFrom(answer: CatalogueAnswer): Loaded {
  const inForce = JSON.parse(Buffer.from(answer.catalogue).toString('utf8')) as Loaded
  if (answer.refused !== undefined) throw new CatalogueRefused(answer.refused, { inForce })
  return inForce
}

function refuseToStart(error: unknown): never {
  throw error instanceof CatalogueRefused ? new StartupError(error.message) : error
}

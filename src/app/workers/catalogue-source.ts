import type { CatalogueData } from '#catalogue/index/model.ts'
import type { ModelDiscovery } from '#catalogue/sources/discovery/model-discovery.ts'
import { CatalogueError, type Loaded, type LoadReport, throwAsUserFacingError } from '#catalogue/sources/layer.ts'
import { type CatalogueSettings, loadCatalogue } from '#catalogue/sources/load.ts'
import { cacheKey, loadCached } from '#catalogue/sources/load-cache.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { Fault } from '#platform/core/fault.ts'
import type { CatalogueResponse } from './calls.ts'

type CatalogueSourceDeps = {
  settings: CatalogueSettings
  discovery: ModelDiscovery
  /** Called with the report and data of every successful load. */
  onLoad: (report: LoadReport, data: CatalogueData) => void
}

/** The longest time that a start waits for the model lists of local servers. */
const modelListTimeoutMs = 500

/** The catalogue of one host: read and merged once, and handed to each worker as the same bytes. */
export class CatalogueSource {
  readonly #deps: CatalogueSourceDeps
  readonly #hasDiscovery: boolean
  /** Identifies the versions of the sources from which the current catalogue was read. */
  #loadedKey: string
  #report: LoadReport
  #catalogue: Buffer
  #runningLoad: Promise<void> | undefined
  #nextLoad: Promise<void> | undefined
  #onLateModelList = () => {}

  private constructor(deps: CatalogueSourceDeps, loadedKey: string, { report, data }: Loaded) {
    this.#deps = deps
    this.#hasDiscovery = data.providers.some((provider) => provider.discover)
    this.#loadedKey = loadedKey
    this.#report = report
    this.#catalogue = toBytes({ report, data })
  }

  /** @throws UserFacingError when a source cannot be used. */
  static async open(deps: CatalogueSourceDeps): Promise<CatalogueSource> {
    const loadedKey = cacheKey(deps.settings)
    const first = await loadCached(deps.settings).catch(throwAsUserFacingError)
    const source = new CatalogueSource(deps, loadedKey, first)
    if (source.#hasDiscovery) await source.#waitForModelLists()
    else deps.onLoad(first.report, first.data)
    deps.discovery.onRecovered(() => void source.#reload().then(source.#announceLateModelList, () => {}))
    return source
  }

  /** Loads the model lists. The list of a slow server is announced when it arrives, so that the start does not wait. */
  async #waitForModelLists(): Promise<void> {
    const firstReload = this.#reload().catch(() => {})
    const outcome = await waitAtMost(modelListTimeoutMs, firstReload, 'late')
    if (outcome === 'late') void firstReload.then(this.#announceLateModelList)
  }

  readonly #announceLateModelList = () => this.#onLateModelList()

  /** Calls a listener when a server's list arrived after the start, or an unreachable server is reachable again. */
  onLateModelList(listener: () => void): void {
    this.#onLateModelList = listener
  }

  /** @param fresh whether to read changed sources and query the servers for their models again. */
  async load({ fresh }: { fresh: boolean }): Promise<CatalogueResponse> {
    try {
      if (fresh) await this.#reload()
      return { catalogue: this.#catalogue }
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error
      return { catalogue: this.#catalogue, refused: error.message }
    }
  }

  report(): LoadReport {
    return this.#report
  }

  /**
   * Reads all sources again and replaces the catalogue as a whole.
   * @throws Fault `conflict` with the reason; the catalogue does not change.
   */
  async reload(): Promise<LoadReport> {
    try {
      await this.#reload()
      return this.#report
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error
      throw new Fault('conflict', `The catalogue was not changed: ${error.message}`)
    }
  }

  /** Loads after the running load, which can have read before a change. Concurrent callers share the next load. */
  #reload(): Promise<void> {
    this.#nextLoad ??= this.#loadAfterRunning()
    return this.#nextLoad
  }

  async #loadAfterRunning(): Promise<void> {
    await this.#runningLoad?.catch(() => {})
    this.#runningLoad = this.#nextLoad
    this.#nextLoad = undefined
    await this.#loadIfChanged()
  }

  async #loadIfChanged(): Promise<void> {
    const { settings, discovery, onLoad } = this.#deps
    // Computed before the sources are read, so that a change in between leads to another key next time.
    const currentKey = cacheKey(settings)
    if (currentKey === this.#loadedKey && !this.#hasDiscovery) return
    const loaded = await loadCatalogue(settings, discovery)
    this.#loadedKey = currentKey
    this.#report = loaded.report
    this.#catalogue = toBytes(loaded)
    onLoad(loaded.report, loaded.data)
  }
}

const toBytes = (loaded: Loaded) => Buffer.from(JSON.stringify(loaded))

/**
 * Reads the primary's response in a worker.
 * @throws CatalogueError like `loadCatalogue`.
 */
export function readCatalogueResponse(response: CatalogueResponse): Loaded {
  const currentCatalogue = JSON.parse(Buffer.from(response.catalogue).toString('utf8')) as Loaded
  if (response.refused !== undefined) throw new CatalogueError(response.refused, { currentCatalogue })
  return currentCatalogue
}

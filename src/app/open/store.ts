import { type ConsoleBundle, createConsoleBundle } from '#api/console/bundle-cache.ts'
import type { Metrics } from '#api/telemetry/metrics.ts'
import type { Traces } from '#api/telemetry/traces.ts'
import type { CatalogueLoader } from '#catalogue/sources/catalogue-holder.ts'
import { ModelDiscovery } from '#catalogue/sources/discovery/model-discovery.ts'
import { loadCached } from '#catalogue/sources/load-cache.ts'
import { bootstrap, type FirstKeys } from '#identity/accounts/bootstrap.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import type { DatabaseListeners, Db } from '#platform/db/db.ts'
import { openDataDir } from '#platform/db/maintenance/data-dir.ts'
import { migrations } from '#platform/db/migrate.ts'
import { openDb } from '#platform/db/open.ts'
import { type AllowStale, allowStaleWhileUnavailable } from '#platform/db/rows/stale-reads.ts'
import { watchSchema } from '#platform/db/schema-range.ts'
import { createOutgoingFetch } from '#platform/net/outgoing.ts'
import { createWarning, type OpenContext } from './parts.ts'

export type OpenStore = {
  /** The effective settings, with the path of the data folder. */
  settings: Config
  db: Db
  /** The current time, corrected by the database's clock if this server's clock is wrong. */
  now: Now
  firstKeys: FirstKeys | undefined
  allowStale: AllowStale
  catalogue: CatalogueLoader
  /** The bundle of the console; undefined if the console is disabled. */
  console: ConsoleBundle | undefined
  /** Whether this is a worker, whose primary process does the work that must happen once on a host, such as pruning. */
  hasPrimary: boolean
}

/** Opens the data folder and the database, and migrates the database. */
export async function openStore(context: OpenContext): Promise<OpenStore> {
  const { parts, cleanup } = context
  const { config, newId, variable } = parts
  const dataDir = openDataDir(config.data_dir, { exclusive: !config.database_url, servesRequests: true })
  cleanup.defer(dataDir.release)
  const settings = { ...config, data_dir: dataDir.path }
  // Read while the database opens: reading uses the CPU, opening mostly waits.
  const firstLoad = loadCached(settings)
  // A failure is reported when the catalogue is opened. Until then, Node must not treat the rejection as unhandled.
  firstLoad.catch(() => {})
  const db = await openDb(settings, createDatabaseListeners(context))
  cleanup.defer(db.close)
  if (db.kind === 'postgres' && parts.onUnsupportedSchema) {
    cleanup.defer(watchSchema(db, Object.keys(migrations), parts.onUnsupportedSchema))
  }
  const now = createCorrectedClock(db, parts.now)
  const configuredKeys = { managementKey: config.bootstrap_management_key, apiKey: config.bootstrap_api_key }
  const firstKeys = await bootstrap({ db, now, newId }, configuredKeys)
  const console = settings.console ? createConsoleBundle({ dataDir: settings.data_dir, log: parts.log }) : undefined
  const allowStale = allowStaleWhileUnavailable({ db }, config.stale_keys_ms)
  const catalogue: CatalogueLoader = {
    firstLoad,
    discovery: new ModelDiscovery({ readVariable: variable, fetch: createOutgoingFetch(config) }),
  }
  return { settings, db, now, firstKeys, allowStale, catalogue, console, hasPrimary: false }
}

/** Returns this server's clock, corrected by its difference from the database's. */
export function createCorrectedClock({ clockCorrectionMs }: Pick<Db, 'clockCorrectionMs'>, now: Now): Now {
  return () => now() + clockCorrectionMs()
}

/** Reports events of the database to log, metrics and traces. */
export function createDatabaseListeners(context: Pick<OpenContext, 'parts' | 'metrics' | 'traces'>): DatabaseListeners {
  const { parts, metrics, traces } = context
  const warn = createWarning(context, 'database connection')
  return {
    onError(error) {
      metrics.observeBrokenConnection()
      warn(error)
    },
    onUnavailable: metrics.observeDatabaseOutage,
    onRecovered: (outageMs) => parts.log.info({ awayMs: Math.round(outageMs) }, 'the database answers again'),
    onClockSkew: (offsetMs) =>
      parts.log.warn({ offsetMs }, "the clock of this server is wrong: the database's time is used. Set it by NTP"),
    onRejectedSettings: (settings) => parts.log.warn({ settings }, 'Postgres rejected these session settings'),
    onQuery: traces.statement ? observeAndTrace(metrics.observeQuery, traces.statement) : metrics.observeQuery,
  }
}

function observeAndTrace(observe: Metrics['observeQuery'], trace: NonNullable<Traces['statement']>) {
  return ((seconds, outcome, error, sql) => {
    observe(seconds, outcome, error)
    if (sql !== undefined) trace(seconds, error, sql)
  }) satisfies Metrics['observeQuery']
}

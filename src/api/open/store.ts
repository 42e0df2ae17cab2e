import { bootstrap, type FirstKeys } from '#accounts/bootstrap.ts'
import { loadRemembered } from '#catalogue/remembered.ts'
import type { Config } from '#config/settings.ts'
import { takeDataDir } from '#db/data-dir.ts'
import type { Db } from '#db/db.ts'
import { openDb } from '#db/open.ts'
import { type AllowStale, staleWhileAway } from '#db/stale-reads.ts'
import type { Metrics } from '../metrics.ts'
import type { Traces } from '../traces.ts'
import { type Opening, warnOf } from './parts.ts'

export type Store = {
  /** The settings in force, with the data folder as it was found. */
  settings: Config
  db: Db
  firstKeys: FirstKeys | undefined
  allowStale: AllowStale
  /** What a start takes of the catalogue from the one before. */
  loading: ReturnType<typeof loadRemembered>
}

/** The data folder and the database, brought up to date. */
export async function openStore(opening: Opening): Promise<Store> {
  const { parts, metrics, traces, opened } = opening
  const { config, log, now, newId } = parts
  const dataDir = takeDataDir(config.data_dir, { exclusive: !config.database_url, serves: true })
  opened.defer(dataDir.release)
  const settings = { ...config, data_dir: dataDir.path }
  // Read while the database opens: the one is work, the other mostly waiting.
  const loading = loadRemembered(settings)
  loading.catch(() => {})
  const warn = warnOf(opening, 'database connection')
  const db = await openDb(settings, {
    onError(error) {
      metrics.observeBrokenConnection()
      warn(error)
    },
    onUnset: (settings) => log.warn({ settings }, 'Postgres did not take these settings of a session'),
    onQuery: traces.statement ? watchedTwice(metrics.observeQuery, traces.statement) : metrics.observeQuery,
  })
  opened.defer(db.close)
  const chosen = { managementKey: config.bootstrap_management_key, apiKey: config.bootstrap_api_key }
  const firstKeys = await bootstrap({ db, now, newId }, chosen)
  return { settings, db, firstKeys, allowStale: staleWhileAway({ db }, config.stale_keys_ms), loading }
}

function watchedTwice(observe: Metrics['observeQuery'], trace: NonNullable<Traces['statement']>) {
  return ((seconds, outcome, error, sql) => {
    observe(seconds, outcome, error)
    if (sql !== undefined) trace(seconds, error, sql)
  }) satisfies Metrics['observeQuery']
}

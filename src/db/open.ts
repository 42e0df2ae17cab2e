import { join } from 'node:path'
import type { Config } from '#config/settings.ts'
import type { Db, Query, Watch } from './db.ts'
import { migrate } from './migrate.ts'
import { openEmbedded } from './sqlite/open.ts'

/** Opens the configured database and brings it up to this version. */
export async function openDb(config: Pick<Config, 'data_dir' | 'database_url'>, watch: Watch = {}): Promise<Db> {
  const bringUpToDate = (query: Query) => migrate({ query })
  if (!config.database_url) return openEmbedded(join(config.data_dir, 'signalbox.db'), bringUpToDate, watch)
  // Only those who use Postgres wait for its driver to load.
  const { openPostgres } = await import('./postgres/open.ts')
  return openPostgres(config.database_url, bringUpToDate, watch)
}

import { join } from 'node:path'
import type { Config } from '#config/settings.ts'
import type { Db } from './db.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres/open.ts'
import { openEmbedded } from './sqlite/open.ts'

/** Opens the configured database and brings it up to this version. */
export async function openDb(
  config: Pick<Config, 'data_dir' | 'database_url'>,
  onError: (error: Error) => void = () => {},
): Promise<Db> {
  const db = config.database_url
    ? await openPostgres(config.database_url, onError)
    : await openEmbedded(join(config.data_dir, 'signalbox.db'))
  try {
    await migrate(db)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

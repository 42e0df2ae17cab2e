import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#platform/config/settings.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { openDataDir } from '#platform/db/maintenance/data-dir.ts'
import { openDb } from '#platform/db/open.ts'

/** The path of the embedded database. @throws UserFacingError when it does not exist */
export function embeddedDatabaseFile({ data_dir }: Pick<Config, 'data_dir'>): string {
  const file = join(data_dir, 'signalbox.db')
  if (existsSync(file)) return file
  throw new UserFacingError(`No database in ${data_dir}: set DATA_DIR to the data folder of the service.`)
}

/**
 * Opens the database without the service. Disposing `cleanup` closes it.
 * @throws UserFacingError when it is the embedded database and a running service uses it
 */
export async function openStore(
  config: Pick<Config, 'data_dir' | 'database_url'>,
  cleanup: AsyncDisposableStack,
): Promise<Db> {
  if (!config.database_url) {
    embeddedDatabaseFile(config)
    cleanup.defer(openDataDir(config.data_dir, { exclusive: true, servesRequests: false }).release)
  }
  const db = await openDb(config)
  cleanup.defer(db.close)
  return db
}

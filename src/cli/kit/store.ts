import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#platform/config/settings.ts'
import { StartupError } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { takeDataDir } from '#platform/db/maintenance/data-dir.ts'
import { openDb } from '#platform/db/open.ts'

/** The file of the embedded store. @throws StartupError when there is none. */
export function embeddedStore({ data_dir }: Pick<Config, 'data_dir'>): string {
  const file = join(data_dir, 'signalbox.db')
  if (existsSync(file)) return file
  throw new StartupError(`There is no store in ${data_dir}: set DATA_DIR to the service's data folder.`)
}

/**
 * Opens the store itself, which is closed with `opened`.
 * @throws StartupError when it is the embedded one and a service uses it.
 */
export async function openStore(
  config: Pick<Config, 'data_dir' | 'database_url'>,
  opened: AsyncDisposableStack,
): Promise<Db> {
  if (!config.database_url) {
    embeddedStore(config)
    opened.defer(takeDataDir(config.data_dir, { exclusive: true, serves: false }).release)
  }
  const db = await openDb(config)
  opened.defer(db.close)
  return db
}

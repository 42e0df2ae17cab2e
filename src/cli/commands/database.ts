import { resolve } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '#platform/config/load.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { backUp } from '#platform/db/maintenance/backup.ts'
import { copyToPostgres } from '#platform/db/maintenance/copy.ts'
import { embeddedDatabaseFile, openStore } from '../kit/store.ts'
import type { Terminal } from '../kit/terminal.ts'

const backupHelp = `
The service can keep running. DATA_DIR and CONFIG are read as by the service.

To restore a backup: stop the service, delete signalbox.db-wal and
signalbox.db-shm, replace signalbox.db with the backup, and start the service.
On a new host: copy the backup as signalbox.db and encryption.key into an empty
folder, and start the service with DATA_DIR set to that folder.`

const copyHelp = `
Set DATA_DIR to the data folder and DATABASE_URL to an empty Postgres database.
Stop the service first. The data folder is not changed. The copy is one
transaction: it is complete, or nothing is written.`

export function databaseCommand(database: Command, { env, out }: Terminal): void {
  database
    .command('backup')
    .description('Write a backup of the embedded database to a new file')
    .argument('<file>', 'Path of the backup')
    .addHelpText('after', backupHelp)
    .action((file: string) => {
      const config = loadConfig(env)
      if (config.database_url) {
        throw new UserFacingError('The service uses Postgres (DATABASE_URL): back it up with pg_dump.')
      }
      const target = resolve(file)
      backUp(embeddedDatabaseFile(config), target)
      out(
        `Backed up to ${target}. Also keep a copy of encryption.key in a separate location: without it, provider keys cannot be decrypted.`,
      )
    })

  database
    .command('copy')
    .description('Copy the embedded database to an empty Postgres database')
    .addHelpText('after', copyHelp)
    .action(async () => {
      const config = loadConfig(env)
      if (!config.database_url) {
        throw new UserFacingError('Set DATABASE_URL to the Postgres database to copy to.')
      }
      await using cleanup = new AsyncDisposableStack()
      const from = await openStore({ ...config, database_url: undefined }, cleanup)
      const to = await openStore(config, cleanup)
      await copyToPostgres({ from, to }, (table, rows) => out(`${String(rows).padStart(10)} ${table}`))
      out(
        'Copied. Start the service with the same DATABASE_URL. Every server needs the encryption.key of this data folder.',
      )
    })
}

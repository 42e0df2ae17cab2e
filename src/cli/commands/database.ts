import { resolve } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '#platform/config/load.ts'
import { StartupError } from '#platform/core/fault.ts'
import { backUp } from '#platform/db/maintenance/backup.ts'
import { copyToPostgres } from '#platform/db/maintenance/copy.ts'
import { embeddedStore, openStore } from '../kit/store.ts'
import type { Terminal } from '../kit/terminal.ts'

const aboutBackup = `
The same settings as for the service name the store (DATA_DIR, CONFIG). The service may go on running. To restore it,
stop the service, remove signalbox.db-wal and signalbox.db-shm, put the backup in the place of signalbox.db, and start.
On a new host: put it as signalbox.db into an empty folder, beside encryption.key, and start with DATA_DIR naming that.`

const aboutCopy = `
DATA_DIR names the data folder, DATABASE_URL an empty Postgres database, as the service shall use them from now on. The
service must be stopped. Nothing in the data folder is changed; what the Postgres takes, it takes whole or not at all.`

export function databaseCommand(program: Command, { env, out }: Terminal): void {
  const database = program.command('database').description('back up the store, or take it to Postgres')

  database
    .command('backup')
    .description('write the embedded store into a new file')
    .argument('<file>', 'the file to make')
    .addHelpText('after', aboutBackup)
    .action((file: string) => {
      const config = loadConfig(env)
      if (config.database_url) {
        throw new StartupError('The store is a Postgres (DATABASE_URL): back it up with pg_dump.')
      }
      const target = resolve(file)
      backUp(embeddedStore(config), target)
      out(`Backed up to ${target}. Keep encryption.key of the data folder apart from it: provider keys need both.`)
    })

  database
    .command('copy')
    .description('copy the embedded store into an empty Postgres')
    .addHelpText('after', aboutCopy)
    .action(async () => {
      const config = loadConfig(env)
      if (!config.database_url) {
        throw new StartupError('Set DATABASE_URL to the Postgres database that is to take what is in the data folder.')
      }
      await using opened = new AsyncDisposableStack()
      const from = await openStore({ ...config, database_url: undefined }, opened)
      const to = await openStore(config, opened)
      await copyToPostgres({ from, to }, (table, rows) => out(`${String(rows).padStart(10)} ${table}`))
      out('Copied. Start the service with the same DATABASE_URL; every server needs the encryption.key of this one.')
    })
}

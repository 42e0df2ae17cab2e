import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { resetManagementKey } from '#accounts/reset-management.ts'
import { loadConfig } from '#config/load.ts'
import type { Config } from '#config/settings.ts'
import { takeDataDir } from '#db/data-dir.ts'
import type { Db } from '#db/db.ts'
import { openDb } from '#db/open.ts'
import { StartupError } from '#lib/fault.ts'
import { newUuid } from '#lib/id.ts'
import type { Terminal } from '../terminal.ts'

const about = `
It works on the store itself, which the same settings name as for the service (DATA_DIR, DATABASE_URL, CONFIG).
With the embedded database the service must be stopped; with Postgres it may go on running.`

export function resetManagementCommand(keys: Command, { env, out, err }: Terminal): void {
  keys
    .command('reset-management')
    .description('make a new management key when none is left, without the service')
    .option('--disable-others', 'disable all other management keys with it')
    .addHelpText('after', about)
    .action(async ({ disableOthers = false }: { disableOthers?: boolean }) => {
      await using opened = new AsyncDisposableStack()
      const db = await openStore(loadConfig(env), opened)
      const { secret, others } = await resetManagementKey({ db, now: Date.now, newId: newUuid }, { disableOthers })
      out(secret)
      err('This is the new management key. It is not shown again.')
      if (others > 0) err(`${others} other${others === 1 ? '' : 's'} ${disableOthers ? 'disabled' : 'still enabled'}.`)
    })
}

async function openStore(config: Config, opened: AsyncDisposableStack): Promise<Db> {
  if (!config.database_url) {
    if (!existsSync(join(config.data_dir, 'signalbox.db'))) {
      throw new StartupError(`There is no store in ${config.data_dir}: set DATA_DIR to the service's data folder.`)
    }
    opened.defer(takeDataDir(config.data_dir, { exclusive: true }).release)
  }
  const db = await openDb(config)
  opened.defer(db.close)
  return db
}

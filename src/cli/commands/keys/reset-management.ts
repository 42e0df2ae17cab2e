import type { Command } from 'commander'
import { resetManagementKey } from '#identity/accounts/keys/reset-management.ts'
import { loadConfig } from '#platform/config/load.ts'
import { newUuid } from '#platform/core/id.ts'
import { openStore } from '../../kit/store.ts'
import type { Terminal } from '../../kit/terminal.ts'

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

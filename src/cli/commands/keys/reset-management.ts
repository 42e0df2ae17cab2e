import type { Command } from 'commander'
import { newUuid } from '#platform/core/id.ts'
import { countWithNoun } from '../../kit/format.ts'
import type { Terminal } from '../../kit/terminal.ts'

const accessHelp = `
The command changes the database directly, and reads the settings of the
service (DATA_DIR, DATABASE_URL, CONFIG). With the embedded database, stop the
service first. With Postgres, the service can keep running.`

export function resetManagementCommand(keys: Command, { env, out, err }: Terminal): void {
  keys
    .command('reset-management')
    .description('Create a management key without the running service, if all management keys are lost')
    .option('--disable-others', 'Also disable all other management keys')
    .addHelpText('after', accessHelp)
    .action(async ({ disableOthers = false }: { disableOthers?: boolean }) => {
      // Loaded here, because loading the database's modules takes long, and most commands only call the service.
      const [{ resetManagementKey }, { loadConfig }, { openStore }] = await Promise.all([
        import('#identity/accounts/keys/reset-management.ts'),
        import('#platform/config/load.ts'),
        import('../../kit/store.ts'),
      ])
      await using cleanup = new AsyncDisposableStack()
      const db = await openStore(loadConfig(env), cleanup)
      const { secret, otherKeyCount } = await resetManagementKey(
        { db, now: Date.now, newId: newUuid },
        { disableOthers },
      )
      out(secret)
      err('This is the new management key. It is not shown again.')
      if (otherKeyCount > 0)
        err(`${countWithNoun(otherKeyCount, 'other management key')} ${disableOthers ? 'disabled' : 'still enabled'}.`)
    })
}

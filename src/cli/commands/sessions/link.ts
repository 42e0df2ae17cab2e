import type { Command } from 'commander'
import { reachable } from '#api/access/address.ts'
import { linkFromStore } from '#identity/sign-in/link-from-store.ts'
import { loadConfig } from '#platform/config/load.ts'
import { StartupError } from '#platform/core/fault.ts'
import { newUuid } from '#platform/core/id.ts'
import { apiClient } from '../../kit/api-client.ts'
import { openStore } from '../../kit/store.ts'
import type { Terminal } from '../../kit/terminal.ts'

const about = `
With SIGNALBOX_KEY set to a management key (and SIGNALBOX_URL) it asks the running service. Without, it works on the
store itself, which the same settings name as for the service (DATA_DIR, DATABASE_URL, CONFIG); with the embedded
database the service must be stopped then.`

export function linkCommand(sessions: Command, { env, out, err }: Terminal): void {
  sessions
    .command('link')
    .description('make a link that signs in to the console, once, within 15 minutes')
    .option('--for <email>', 'whom it signs in; unless told, the member of the key, or the first admin')
    .addHelpText('after', about)
    .action(async (options: { for?: string }) => {
      out(env.SIGNALBOX_KEY ? await fromService(env, options.for) : await fromStore(env, options.for))
      err('It signs in once, within 15 minutes. Whoever has it is that member: do not pass it on.')
    })
}

async function fromService(env: Terminal['env'], email: string | undefined): Promise<string> {
  const body = email === undefined ? {} : { user_id: email }
  const { data } = await apiClient(env).ask<{ data: { url: string } }>('POST', '/sessions/links', body)
  return data.url
}

async function fromStore(env: Terminal['env'], email: string | undefined): Promise<string> {
  await using opened = new AsyncDisposableStack()
  const config = loadConfig(env)
  const db = await openStore(config, opened).catch((error) => {
    if (!(error instanceof StartupError)) throw error
    throw new StartupError(
      `${error.message} Or set SIGNALBOX_KEY to a management key: the running service is asked then.`,
    )
  })
  const { token } = await linkFromStore({ db, now: Date.now, newId: newUuid }, email)
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return `${reachable(`http://${host}:${config.port}`)}/#sign-in=${token}`
}

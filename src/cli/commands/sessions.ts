import type { Command } from 'commander'
import { reachableUrl } from '#api/access/address.ts'
import { siteUrl } from '#platform/config/public-url.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { newUuid } from '#platform/core/id.ts'
import { withBrackets } from '#platform/net/addresses/host-name.ts'
import { createApiClient, hasManagementKey } from '../kit/api-client.ts'
import type { Terminal } from '../kit/terminal.ts'

const accessHelp = `
With a management key in SIGNALBOX_KEY or MANAGEMENT_KEY, the command calls the
running service (SIGNALBOX_URL). Otherwise it changes the database directly, and
reads the settings of the service (DATA_DIR, DATABASE_URL, CONFIG). In that
case, stop the service first if it uses the embedded database.`

export function sessionsCommand(sessions: Command, { env, out, err }: Terminal): void {
  sessions
    .command('link')
    .description('Create a sign-in link for the console. It is valid once, for 15 minutes')
    .option('--for <email>', 'Member to sign in (default: the member of the key, or the first admin)')
    .addHelpText('after', accessHelp)
    .action(async (options: { for?: string }) => {
      out(
        hasManagementKey(env)
          ? await createLinkInService(env, options.for)
          : await createLinkInDatabase(env, options.for),
      )
      err('The link is valid once, for 15 minutes. Do not share it: anyone who opens it is signed in as this member.')
    })
}

async function createLinkInService(env: Terminal['env'], email: string | undefined): Promise<string> {
  // `user_id` also takes an email address.
  const body = email === undefined ? {} : { user_id: email }
  const { data } = await createApiClient(env).request<{ data: { url: string } }>('POST', '/sessions/links', body)
  return data.url
}

async function createLinkInDatabase(env: Terminal['env'], email: string | undefined): Promise<string> {
  // Loaded here, because loading the database's modules takes long, and most commands only call the service.
  const [{ createLinkFromDatabase }, { loadConfig }, { openStore }] = await Promise.all([
    import('#identity/sign-in/link-from-database.ts'),
    import('#platform/config/load.ts'),
    import('../kit/store.ts'),
  ])
  await using cleanup = new AsyncDisposableStack()
  const config = loadConfig(env)
  const db = await openStore(config, cleanup).catch((error) => {
    if (!(error instanceof UserFacingError)) throw error
    throw new UserFacingError(
      `${error.message} Or set SIGNALBOX_KEY to a management key, to call the running service instead.`,
    )
  })
  const { token } = await createLinkFromDatabase({ db, now: Date.now, newId: newUuid }, email)
  const url = siteUrl(config, reachableUrl(`http://${withBrackets(config.host)}:${config.port}`))
  return `${url}/#sign-in=${token}`
}

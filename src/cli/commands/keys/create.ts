import { type Command, InvalidArgumentError } from 'commander'
import type { KeyRecord } from '#identity/accounts/keys/key.ts'
import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { Fault } from '#platform/core/fault.ts'
import { type ApiClient, apiClient, clientHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { memberWith } from '../members.ts'

type Options = {
  management?: boolean
  workspace?: string
  for?: string
  limit?: number
  reset?: string
  expires?: string
}

export function createCommand(keys: Command, { env, out, err }: Terminal): void {
  keys
    .command('create')
    .description('make a key, and print it: it is shown this once')
    .argument('<name>', 'what the key is for')
    .option('--management', 'a key to manage with, not for inference')
    .option('--workspace <slug>', 'the workspace it belongs to (default: that of your key)')
    .option('--for <email>', 'the member it acts for (default: the one of your key)')
    .option('--limit <usd>', 'the most it may spend', dollars)
    .option('--reset <interval>', 'daily, weekly or monthly: when spending starts anew')
    .option('--expires <time>', 'when it stops working, such as 2030-01-31T00:00:00Z')
    .addHelpText('after', clientHelp)
    .action(async (name: string, options: Options) => {
      const client = apiClient(env)
      const wanted = { name, ...(await asFields(client, options)) }
      const { data, key } = await client.ask<{ data: KeyRecord; key: string }>('POST', '/keys', wanted)
      // Only the key goes to standard output, so that a script can keep it.
      out(key)
      err(`This is the ${data.kind === 'api' ? 'API' : 'management'} key "${data.name}". It is not shown again.`)
    })
}

async function asFields(client: ApiClient, options: Options): Promise<object> {
  const { management, workspace, limit, reset, expires } = options
  // A slip at the terminal would be a key without a limit. The API takes it: a limit may be given later.
  if (reset !== undefined && limit === undefined)
    throw new Fault('invalid', '--reset says when a limit begins anew: say which with --limit <usd>.')
  return {
    ...(management && { kind: 'management' }),
    ...(workspace !== undefined && { workspace_id: await idOf(client, workspace) }),
    ...(options.for !== undefined && { creator_user_id: (await memberWith(client, options.for)).id }),
    ...(limit !== undefined && { limit }),
    ...(reset !== undefined && { limit_reset: reset }),
    ...(expires !== undefined && { expires_at: expires }),
  }
}

async function idOf(client: ApiClient, workspace: string): Promise<string> {
  const found = await client.ask<{ data: WorkspaceRecord }>('GET', `/workspaces/${encodeURIComponent(workspace)}`)
  return found.data.id
}

/** A text that is not a number must not become a missing limit. */
function dollars(text: string): number {
  const amount = Number(text)
  if (amount > 0 && Number.isFinite(amount)) return amount
  throw new InvalidArgumentError('It must be a number of US dollars above 0.')
}

import type { Command } from 'commander'
import type { KeyRecord } from '#identity/accounts/keys/key.ts'
import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { type ApiClient, createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { findMember } from '../../kit/find.ts'
import { positiveUsd } from '../../kit/option-parsers.ts'
import type { Terminal } from '../../kit/terminal.ts'

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
    .description('Create a key and print it. It is shown only once')
    .argument('<name>', 'Name of the key')
    .option('--management', 'Create a management key instead of an API key')
    .option('--workspace <slug>', 'Workspace of the key (default: the workspace of your key)')
    .option('--for <email>', 'Member for whom the key acts (default: the member of your key)')
    .option('--limit <usd>', 'Spending limit, in USD (default: none)', positiveUsd)
    .option('--reset <interval>', 'When the spend resets: daily, weekly or monthly (default: never)')
    .option('--expires <time>', 'When the key expires, such as 2030-01-31T00:00:00Z (default: never)')
    .addHelpText('after', managementKeyHelp)
    .action(async (name: string, options: Options) => {
      const client = createApiClient(env)
      const body = { name, ...(await keyFields(client, options)) }
      const { data, key } = await client.request<{ data: KeyRecord; key: string }>('POST', '/keys', body)
      // Only the key is written to standard output, so that scripts can read it.
      out(key)
      err(`This is the ${data.kind === 'api' ? 'API' : 'management'} key "${data.name}". It is not shown again.`)
    })
}

async function keyFields(client: ApiClient, options: Options): Promise<object> {
  const { management, workspace, limit, reset, expires } = options
  // The API accepts this, because the limit can be set later. On the command line it is probably a mistake.
  if (reset !== undefined && limit === undefined) throw new UserFacingError('--reset needs a limit: add --limit <usd>.')
  // Undefined fields are not sent.
  return {
    kind: management ? 'management' : undefined,
    workspace_id: workspace === undefined ? undefined : await findWorkspaceId(client, workspace),
    creator_user_id: options.for === undefined ? undefined : (await findMember(client, options.for)).id,
    limit,
    limit_reset: reset,
    expires_at: expires,
  }
}

async function findWorkspaceId(client: ApiClient, workspace: string): Promise<string> {
  const found = await client.request<{ data: WorkspaceRecord }>('GET', `/workspaces/${encodeURIComponent(workspace)}`)
  return found.data.id
}

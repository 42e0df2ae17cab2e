import type { Command } from 'commander'
import type { z } from 'zod'
import type { Key } from '#api/routes/keys/key.ts'
import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { type ApiClient, apiClient, clientHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

export type ListedKey = z.infer<typeof Key> & { workspace: string }

export function listCommand(keys: Command, { env, out }: Terminal): void {
  keys
    .command('list')
    .description('List the keys of all workspaces')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (options: { json?: boolean }) => {
      const found = await allKeys(apiClient(env))
      out(options.json ? JSON.stringify(found, null, 2) : keyTable(found, Date.now()))
    })
}

/** Reads all keys, including disabled ones, with the slug of their workspace. */
export async function allKeys(client: ApiClient): Promise<ListedKey[]> {
  const workspaces = await client.listAll<WorkspaceRecord>('/workspaces')
  const listed = workspaces.map(async ({ id, slug }) => {
    const keys = await client.listAll<z.infer<typeof Key>>(`/keys?workspace_id=${id}&include_disabled=true`)
    return keys.map((key) => ({ ...key, workspace: slug }))
  })
  return (await Promise.all(listed)).flat()
}

function keyTable(keys: ListedKey[], now: number): string {
  const rows = keys.map((key) => [
    key.hash.slice(0, 12),
    key.label,
    key.kind,
    state(key, now),
    key.limit === null ? '-' : `$${key.limit}${key.limit_reset ? ` ${key.limit_reset}` : ''}`,
    key.expires_at?.slice(0, 16).replace('T', ' ') ?? '-',
    key.workspace,
    key.creator_email ?? '-',
    key.name,
  ])
  return table(['HASH', 'KEY', 'KIND', 'STATE', 'LIMIT', 'EXPIRES (UTC)', 'WORKSPACE', 'MEMBER', 'NAME'], rows)
}

function state(key: ListedKey, now: number): string {
  if (key.disabled) return 'disabled'
  return key.expires_at !== null && Date.parse(key.expires_at) <= now ? 'expired' : 'active'
}

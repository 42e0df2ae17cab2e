import type { Command } from 'commander'
import { createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { type ListedKey, listAllKeys } from '../../kit/find.ts'
import { minute } from '../../kit/format.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

export function listCommand(keys: Command, { env, out }: Terminal): void {
  keys
    .command('list')
    .description('List the keys of all workspaces')
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async (options: { json?: boolean }) => {
      const allKeys = await listAllKeys(createApiClient(env))
      out(options.json ? JSON.stringify(allKeys, null, 2) : keyTable(allKeys, Date.now()))
    })
}

function keyTable(keys: ListedKey[], now: number): string {
  const rows = keys.map((key) => [
    key.hash.slice(0, 12),
    key.label,
    key.kind,
    keyState(key, now),
    key.limit === null ? '-' : `$${key.limit}${key.limit_reset ? ` ${key.limit_reset}` : ''}`,
    minute(key.expires_at),
    key.workspace,
    key.creator_email ?? '-',
    key.name,
  ])
  return table(['HASH', 'KEY', 'KIND', 'STATE', 'LIMIT', 'EXPIRES (UTC)', 'WORKSPACE', 'MEMBER', 'NAME'], rows)
}

function keyState(key: ListedKey, now: number): string {
  if (key.disabled) return 'disabled'
  return key.expires_at !== null && Date.parse(key.expires_at) <= now ? 'expired' : 'active'
}

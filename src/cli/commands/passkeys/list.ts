import type { Command } from 'commander'
import type { z } from 'zod'
import type { ListedPasskey } from '#api/routes/passkeys/list.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Listed = z.infer<typeof ListedPasskey>

export function listCommand(passkeys: Command, { env, out }: Terminal): void {
  passkeys
    .command('list')
    .description('List passkeys, newest first')
    .option('--for <email>', 'Only those of this member')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (options: { for?: string; json?: boolean }) => {
      const query = options.for === undefined ? '' : `?${new URLSearchParams({ user_id: options.for })}`
      const all = await apiClient(env).listAll<Listed>(`/passkeys${query}`)
      out(options.json ? JSON.stringify(all, null, 2) : passkeyTable(all))
    })
}

function passkeyTable(passkeys: Listed[]): string {
  const minute = (instant: string | null) => instant?.slice(0, 16).replace('T', ' ') ?? 'never'
  const rows = passkeys.map(({ id, name, member, relying_party, created_at, last_used_at }) => [
    ...[id, member.email, relying_party, minute(created_at), minute(last_used_at), name],
  ])
  return table(['ID', 'MEMBER', 'HOST', 'CREATED (UTC)', 'LAST USED (UTC)', 'NAME'], rows)
}

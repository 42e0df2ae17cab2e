import type { Command } from 'commander'
import type { z } from 'zod'
import type { ListedSession } from '#api/routes/sessions/session.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Listed = z.infer<typeof ListedSession>

export function listCommand(sessions: Command, { env, out }: Terminal): void {
  sessions
    .command('list')
    .description('List browser sessions, most recently used first')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (options: { json?: boolean }) => {
      const all = await apiClient(env).listAll<Listed>('/sessions')
      out(options.json ? JSON.stringify(all, null, 2) : sessionTable(all))
    })
}

function sessionTable(sessions: Listed[]): string {
  const minute = (instant: string) => instant.slice(0, 16).replace('T', ' ')
  const rows = sessions.map(({ id, member, method, address, last_used_at, idle_expires_at }) => [
    id,
    member.email,
    method,
    address ?? '-',
    minute(last_used_at),
    minute(idle_expires_at),
  ])
  return table(['ID', 'MEMBER', 'METHOD', 'ADDRESS', 'LAST USED (UTC)', 'IDLE EXPIRY (UTC)'], rows)
}

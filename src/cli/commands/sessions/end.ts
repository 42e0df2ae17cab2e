import type { Command } from 'commander'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'

export function endCommand(sessions: Command, { env, out }: Terminal): void {
  sessions
    .command('end')
    .description('sign a browser out: its session ends at once')
    .argument('<id>', 'the session, as "sessions list" shows it')
    .addHelpText('after', clientHelp)
    .action(async (id: string) => {
      await apiClient(env).ask('DELETE', `/sessions/${encodeURIComponent(id)}`)
      out('Ended.')
    })
}

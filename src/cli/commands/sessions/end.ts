import type { Command } from 'commander'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'

export function endCommand(sessions: Command, { env, out }: Terminal): void {
  sessions
    .command('end')
    .description('End a browser session immediately')
    .argument('<id>', 'ID of the session, as listed by "sessions list"')
    .addHelpText('after', clientHelp)
    .action(async (id: string) => {
      await apiClient(env).request('DELETE', `/sessions/${encodeURIComponent(id)}`)
      out(`Ended session ${id}.`)
    })
}

import type { Command } from 'commander'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'

export function revokeCommand(passkeys: Command, { env, out }: Terminal): void {
  passkeys
    .command('revoke')
    .description('Delete a passkey, and end the sessions that it started')
    .argument('<id>', 'ID of the passkey, as listed by "passkeys list"')
    .addHelpText('after', clientHelp)
    .action(async (id: string) => {
      const path = `/passkeys/${encodeURIComponent(id)}`
      const { ended_sessions } = await apiClient(env).request<{ ended_sessions: number }>('DELETE', path)
      out(`Revoked passkey ${id}. Ended sessions: ${ended_sessions}.`)
    })
}

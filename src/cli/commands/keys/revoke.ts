import type { Command } from 'commander'
import { createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { findByHash, hashHelp } from '../../kit/find.ts'
import type { Terminal } from '../../kit/terminal.ts'

export function revokeCommand(keys: Command, { env, out }: Terminal): void {
  keys
    .command('revoke')
    .description('Delete a key. It stops working immediately')
    .argument('<hash>', hashHelp)
    .addHelpText('after', managementKeyHelp)
    .action(async (hash: string) => {
      const client = createApiClient(env)
      const key = await findByHash(client, hash)
      await client.request('DELETE', `/keys/${key.hash}`)
      out(`Revoked "${key.name}" (${key.label}).`)
    })
}

import { type Command, Option } from 'commander'
import { memberRoles } from '#identity/accounts/role.ts'
import { createApiClient, managementKeyHelp } from '../kit/api-client.ts'
import type { ListedMember } from '../kit/find.ts'
import type { Terminal } from '../kit/terminal.ts'

export function membersCommand(members: Command, { env, out }: Terminal): void {
  members
    .command('add')
    .description('Add a member, or restore a removed one')
    .argument('<email>', 'Email address of the member')
    .argument('<name>', 'Name of the member')
    .addOption(new Option('--admin', 'Same as --access admin').conflicts('access'))
    .option('--access <role>', `Role: ${memberRoles.join(', ')} (default: member)`)
    .addHelpText('after', managementKeyHelp)
    .action(async (email: string, name: string, { admin, access }: { admin?: boolean; access?: string }) => {
      const body = { email, name, access: access ?? (admin ? 'admin' : 'member') }
      const { data } = await createApiClient(env).request<{ data: ListedMember }>('POST', '/organization/members', body)
      out(`Added ${data.email} (${data.id}). To create a key: npx signalbox keys create <name> --for ${data.email}`)
    })
}

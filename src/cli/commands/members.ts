import type { Command } from 'commander'
import type { z } from 'zod'
import type { Member } from '#api/routes/organization/member.ts'
import { memberRoles } from '#identity/accounts/members/role.ts'
import { StartupError } from '#platform/core/fault.ts'
import { type ApiClient, apiClient, clientHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'

type ListedMember = z.infer<typeof Member>

export function membersCommand(program: Command, { env, out }: Terminal): void {
  const members = program.command('members').description('Manage the members of the organization')

  members
    .command('list')
    .description('List the members of the organization')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (options: { json?: boolean }) => {
      const all = await allMembers(apiClient(env))
      out(options.json ? JSON.stringify(all, null, 2) : memberTable(all))
    })

  members
    .command('add')
    .description('Add a member, or restore a removed one')
    .argument('<email>', 'Email address of the member')
    .argument('<name>', 'Name of the member')
    .option('--admin', 'Same as --access admin')
    .option('--access <role>', `Role: ${memberRoles.join(', ')} (default: member)`)
    .addHelpText('after', clientHelp)
    .action(async (email: string, name: string, { admin, access }: { admin?: boolean; access?: string }) => {
      const body = { email, name, access: access ?? (admin ? 'admin' : 'member') }
      const { data } = await apiClient(env).request<{ data: ListedMember }>('POST', '/organization/members', body)
      out(`Added ${data.email} (${data.id}). To create a key: npx signalbox keys create <name> --for ${data.email}`)
    })

  members
    .command('remove')
    .description('Remove a member from the organization')
    .argument('<email>', 'Email address of the member')
    .option('--disable-keys', 'Also disable the keys of the member, except those of interns')
    .addHelpText('after', clientHelp)
    .action(async (email: string, { disableKeys }: { disableKeys?: boolean }) => {
      const client = apiClient(env)
      const member = await memberWith(client, email)
      const path = `/organization/members/${member.id}?disable_keys=${disableKeys === true}`
      const { disabled_keys: keys } = await client.request<{ disabled_keys: number }>('DELETE', path)
      out(`Removed ${member.email}${disableKeys ? `, and disabled ${keys} key${keys === 1 ? '' : 's'}` : ''}.`)
    })
}

/** Finds a member by email address. @throws StartupError when no member has it */
export async function memberWith(client: ApiClient, email: string): Promise<ListedMember> {
  const member = (await allMembers(client)).find((one) => one.email === email.toLowerCase())
  if (member) return member
  throw new StartupError(`Member "${email}" not found. To list all: npx signalbox members list`)
}

export const allMembers = (client: ApiClient) => client.listAll<ListedMember>('/organization/members')

function memberTable(members: ListedMember[]): string {
  const rows = members.map(({ id, email, first_name, last_name, access, joined_at }) => [
    email,
    [first_name, last_name].filter(Boolean).join(' '),
    access,
    joined_at.slice(0, 10),
    id,
  ])
  return table(['EMAIL', 'NAME', 'ROLE', 'JOINED', 'ID'], rows)
}

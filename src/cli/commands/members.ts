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
  const members = program.command('members').description('list, add and remove members of the organization')

  members
    .command('list')
    .description('list who belongs to the organization')
    .option('--json', 'print them as JSON')
    .addHelpText('after', clientHelp)
    .action(async (options: { json?: boolean }) => {
      const all = await allMembers(apiClient(env))
      out(options.json ? JSON.stringify(all, null, 2) : memberTable(all))
    })

  members
    .command('add')
    .description('take somebody into the organization, or back into it')
    .argument('<email>', 'their address')
    .argument('<name>', 'their name, in quotes when it is more than a word')
    .option('--admin', 'the same as --access admin')
    .option('--access <role>', `what they may do who sign in: ${memberRoles.join(', ')}`)
    .addHelpText('after', clientHelp)
    .action(async (email: string, name: string, { admin, access }: { admin?: boolean; access?: string }) => {
      const wanted = { email, name, access: access ?? (admin ? 'admin' : 'member') }
      const { data } = await apiClient(env).ask<{ data: ListedMember }>('POST', '/organization/members', wanted)
      out(`Added ${data.email} (${data.id}). A key for them: npx signalbox keys create <name> --for ${data.email}`)
    })

  members
    .command('remove')
    .description('end a membership')
    .argument('<email>', 'their address')
    .option('--disable-keys', 'disable their keys with it, but for those of interns')
    .addHelpText('after', clientHelp)
    .action(async (email: string, { disableKeys }: { disableKeys?: boolean }) => {
      const client = apiClient(env)
      const member = await memberWith(client, email)
      const path = `/organization/members/${member.id}?disable_keys=${disableKeys === true}`
      const { disabled_keys: keys } = await client.ask<{ disabled_keys: number }>('DELETE', path)
      out(`Removed ${member.email}${disableKeys ? `, and disabled ${keys} key${keys === 1 ? '' : 's'}` : ''}.`)
    })
}

/** @throws StartupError when nobody in the organization has this address. */
export async function memberWith(client: ApiClient, email: string): Promise<ListedMember> {
  const found = (await allMembers(client)).find((member) => member.email === email.toLowerCase())
  if (found) return found
  throw new StartupError(`No member has the address "${email}": "npx signalbox members list" shows them all.`)
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

import { type Command, Option } from 'commander'
import type { WorkspaceMember } from '#identity/accounts/workspace-members/workspace-member.ts'
import { workspaceRoles } from '#platform/core/vocabulary.ts'
import { apiClient, clientHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'

/** The commands `signalbox workspaces members …`. */
export function workspaceMembersCommand(workspaces: Command, { env, out }: Terminal): void {
  const members = workspaces.command('members').description('Manage the members of a workspace')
  const path = (slug: string) => `/workspaces/${encodeURIComponent(slug)}/members`

  members
    .command('list')
    .description('List the members of a workspace')
    .argument('<slug>', 'Slug or ID of the workspace')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, { json }: { json?: boolean }) => {
      const all = await apiClient(env).listAll<WorkspaceMember>(path(slug))
      out(json ? JSON.stringify(all, null, 2) : memberTable(all))
    })

  members
    .command('add')
    .description('Add members of the organization to a workspace, or change their role in it')
    .argument('<slug>', 'Slug or ID of the workspace')
    .argument('<emails...>', 'Email addresses of the members')
    .addOption(
      new Option('--access <role>', 'Role in the workspace (default: like in the organization)').choices([
        ...workspaceRoles,
      ]),
    )
    .addHelpText('after', clientHelp)
    .action(async (slug: string, user_ids: string[], { access }: { access?: string }) => {
      const body = { user_ids, ...(access && { access }) }
      const { data } = await apiClient(env).request<{ data: WorkspaceMember[] }>('POST', `${path(slug)}/add`, body)
      for (const member of data) out(`${member.email} is ${member.access} of "${slug}".`)
    })

  members
    .command('remove')
    .description('Remove members from a workspace')
    .argument('<slug>', 'Slug or ID of the workspace')
    .argument('<emails...>', 'Email addresses of the members')
    .option('--disable-keys', 'Disable the keys of the members in the workspace')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, user_ids: string[], { disableKeys }: { disableKeys?: boolean }) => {
      const body = { user_ids, disable_keys: disableKeys === true }
      const answer = await apiClient(env).request<{ removed_count: number }>('POST', `${path(slug)}/remove`, body)
      const { removed_count: count } = answer
      out(`Removed ${count} member${count === 1 ? '' : 's'} from "${slug}".`)
    })
}

function memberTable(members: WorkspaceMember[]): string {
  const rows = members.map(({ email, name, access, source, created_at, user_id }) => [
    email,
    name,
    access,
    source,
    created_at.slice(0, 10),
    user_id,
  ])
  return table(['EMAIL', 'NAME', 'ROLE', 'ADDED BY', 'SINCE', 'USER ID'], rows)
}

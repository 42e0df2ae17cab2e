import type { Command } from 'commander'
import {
  WorkspaceRecord as Workspace,
  type WorkspacePatch,
  type WorkspaceRecord,
} from '#identity/accounts/workspace.ts'
import { apiClient, clientHelp } from '../kit/api-client.ts'
import { fieldsFrom, listing } from '../kit/fields.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { workspaceMembersCommand } from './workspace-members.ts'

type Answer = { data: WorkspaceRecord }
type Json = { json?: boolean }

export function workspacesCommand(program: Command, terminal: Terminal): void {
  const { env, out } = terminal
  const workspaces = program.command('workspaces').description('Manage workspaces')
  workspaceMembersCommand(workspaces, terminal)
  const path = (slug: string) => `/workspaces/${encodeURIComponent(slug)}`
  const print = ({ data }: Answer, { json }: Json) =>
    out(json ? JSON.stringify(data, null, 2) : listing(Workspace.parse(data)))

  workspaces
    .command('list')
    .description('List the workspaces of the organization, oldest first')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async ({ json }: Json) => {
      const all = await apiClient(env).listAll<WorkspaceRecord>('/workspaces')
      out(json ? JSON.stringify(all, null, 2) : workspaceTable(all))
    })

  workspaces
    .command('show')
    .description('Show a workspace')
    .argument('<slug>', 'Slug or ID of the workspace')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, json: Json) => print(await apiClient(env).request<Answer>('GET', path(slug)), json))

  workspaces
    .command('create')
    .description('Create a workspace')
    .argument('<slug>', 'Identifier in URLs: lowercase letters, digits and "-"')
    .argument('<name>', 'Display name')
    .option('--description <text>', 'Description')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, name: string, { json, ...more }: Json & { description?: string }) =>
      print(await apiClient(env).request<Answer>('POST', '/workspaces', { slug, name, ...more }), { json }),
    )

  workspaces
    .command('set')
    .description('Change fields of a workspace')
    .argument('<slug>', 'Slug or ID of the workspace')
    .argument('<fields...>', 'Fields such as name=Research or is_observability_io_logging_enabled=true')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, words: string[], json: Json) => {
      const patch: WorkspacePatch = fieldsFrom(words, (field) => field.endsWith('_key_ids'))
      print(await apiClient(env).request<Answer>('PATCH', path(slug), patch), json)
    })

  workspaces
    .command('delete')
    .description('Delete a workspace without keys, with its guardrails and presets')
    .argument('<slug>', 'Slug or ID of the workspace')
    .addHelpText('after', clientHelp)
    .action(async (slug: string) => {
      await apiClient(env).request('DELETE', path(slug))
      out(`Deleted "${slug}".`)
    })
}

function workspaceTable(workspaces: WorkspaceRecord[]): string {
  const rows = workspaces.map((workspace) => [
    workspace.slug,
    workspace.name,
    workspace.is_observability_io_logging_enabled ? 'stored' : '-',
    workspace.created_at.slice(0, 10),
    workspace.id,
    workspace.description ?? '',
  ])
  return table(['SLUG', 'NAME', 'PROMPTS', 'CREATED', 'ID', 'DESCRIPTION'], rows)
}

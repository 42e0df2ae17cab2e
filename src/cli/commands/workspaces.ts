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

type Answer = { data: WorkspaceRecord }
type Json = { json?: boolean }

export function workspacesCommand(program: Command, { env, out }: Terminal): void {
  const workspaces = program.command('workspaces').description('list, make, change and delete workspaces')
  const path = (slug: string) => `/workspaces/${encodeURIComponent(slug)}`
  const told = ({ data }: Answer, { json }: Json) =>
    out(json ? JSON.stringify(data, null, 2) : listing(Workspace.parse(data)))

  workspaces
    .command('list')
    .description('list the workspaces of the organization, the oldest first')
    .option('--json', 'print them as JSON')
    .addHelpText('after', clientHelp)
    .action(async ({ json }: Json) => {
      const all = await apiClient(env).listAll<WorkspaceRecord>('/workspaces')
      out(json ? JSON.stringify(all, null, 2) : workspaceTable(all))
    })

  workspaces
    .command('show')
    .description('tell all of a workspace')
    .argument('<slug>', 'its slug or id')
    .option('--json', 'print it as JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, json: Json) => told(await apiClient(env).ask<Answer>('GET', path(slug)), json))

  workspaces
    .command('create')
    .description('make a workspace; a key in it: signalbox keys create <name> --workspace <slug>')
    .argument('<slug>', 'its name in URLs: lowercase letters, digits and "-"')
    .argument('<name>', 'its name for people')
    .option('--description <text>', 'what it is for')
    .option('--json', 'print it as JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, name: string, { json, ...more }: Json & { description?: string }) =>
      told(await apiClient(env).ask<Answer>('POST', '/workspaces', { slug, name, ...more }), { json }),
    )

  workspaces
    .command('set')
    .description('change fields of a workspace')
    .argument('<slug>', 'its slug or id')
    .argument('<fields...>', 'such as name=Research or is_observability_io_logging_enabled=true')
    .option('--json', 'print it as JSON')
    .addHelpText('after', clientHelp)
    .action(async (slug: string, words: string[], json: Json) => {
      const patch: WorkspacePatch = fieldsFrom(words, (field) => field.endsWith('_key_ids'))
      told(await apiClient(env).ask<Answer>('PATCH', path(slug), patch), json)
    })

  workspaces
    .command('delete')
    .description('delete a workspace that has no keys, with its guardrails and presets')
    .argument('<slug>', 'its slug or id')
    .addHelpText('after', clientHelp)
    .action(async (slug: string) => {
      await apiClient(env).ask('DELETE', path(slug))
      out(`"${slug}" is deleted.`)
    })
}

function workspaceTable(workspaces: WorkspaceRecord[]): string {
  const rows = workspaces.map((workspace) => [
    workspace.slug,
    workspace.name,
    workspace.is_observability_io_logging_enabled ? 'kept' : '-',
    workspace.created_at.slice(0, 10),
    workspace.id,
    workspace.description ?? '',
  ])
  return table(['SLUG', 'NAME', 'BODIES', 'MADE', 'ID', 'ABOUT'], rows)
}

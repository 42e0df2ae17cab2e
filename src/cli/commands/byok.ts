import type { Command } from 'commander'
import type { Credential } from '#identity/provider-keys/credential.ts'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, clientHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'

type InWorkspace = { workspace?: string }

/** Provider keys of a workspace, which its requests use before those of the operator. */
export function byokCommand(program: Command, { env, out }: Terminal): void {
  const byok = program.command('byok').description('Manage the provider keys of a workspace (BYOK: bring your own key)')
  const client = () => apiClient(env)
  const command = (name: string, about: string) =>
    byok.command(name).description(about).addHelpText('after', clientHelp)

  command('list', 'List the provider keys of a workspace, with secrets masked')
    .option('--workspace <slug>', 'Workspace (default: the workspace of your key)')
    .option('--json', 'Print JSON')
    .action(async ({ workspace, json }: InWorkspace & { json?: true }) => {
      const query = workspace ? `?workspace_id=${encodeURIComponent(workspace)}` : ''
      const all = await client().listAll<Credential>(`/byok${query}`)
      out(json ? JSON.stringify(all, null, 2) : credentialTable(all))
    })

  command('add', 'Add a provider key. Set PROVIDER_KEY to the key, so that it does not appear in the shell history')
    .argument('<provider>', 'Slug of the provider, such as "openai"')
    .option('--name <text>', 'Display name')
    .option('--workspace <slug>', 'Workspace (default: the workspace of your key)')
    .action(async (provider: string, { name, workspace }: InWorkspace & { name?: string }) => {
      const key = env.PROVIDER_KEY
      if (!key) throw new StartupError('Set the environment variable PROVIDER_KEY to the provider key.')
      const body = { provider, key, ...(name && { name }), ...(workspace && { workspace_id: workspace }) }
      const { data } = await client().request<{ data: Credential }>('POST', '/byok', body)
      out(`Added ${data.id} for ${data.provider}.`)
    })

  command('delete', 'Delete a provider key')
    .argument('<id>', 'ID of the provider key, as listed by "byok list"')
    .action(async (id: string) => {
      await client().request('DELETE', `/byok/${encodeURIComponent(id)}`)
      out(`Deleted ${id}.`)
    })
}

function credentialTable(credentials: Credential[]): string {
  const rows = credentials.map((one) => [
    one.id,
    one.provider,
    one.name ?? '',
    one.label,
    one.disabled ? 'disabled' : 'enabled',
  ])
  return table(['ID', 'PROVIDER', 'NAME', 'KEY', 'STATE'], rows)
}

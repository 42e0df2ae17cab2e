import type { Command } from 'commander'
import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { StartupError } from '#platform/core/fault.ts'
import { emptyPolicy, type Policy } from '#policy/guardrails/decide/policy.ts'
import type { Guardrail } from '#policy/guardrails/guardrail.ts'
import { type ApiClient, apiClient, clientHelp, ServiceRefused } from '../../kit/api-client.ts'
import { listing } from '../../kit/fields.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { guardrailId, whichGuardrail } from './find.ts'

export function listCommand(guardrails: Command, { env, out }: Terminal): void {
  guardrails
    .command('list')
    .description('list the guardrails of all workspaces, with what was spent')
    .option('--json', 'print them as JSON')
    .addHelpText('after', clientHelp)
    .action(async ({ json }: { json?: boolean }) => {
      const client = apiClient(env)
      const listed = await client.listAll<Guardrail>('/guardrails')
      // Spending is told where one is read.
      const found = await Promise.all(listed.map(({ id }) => readGuardrail(client, id)))
      if (json) return out(JSON.stringify(found, null, 2))
      out(guardrailTable(found, await client.listAll<WorkspaceRecord>('/workspaces')))
    })

  guardrails
    .command('show')
    .description('tell the rules of a guardrail, and what was spent')
    .argument('<guardrail>', whichGuardrail)
    .option('--json', 'print it as JSON')
    .addHelpText('after', clientHelp)
    .action(async (wanted: string, { json }: { json?: boolean }) => {
      const client = apiClient(env)
      const guardrail = await readGuardrail(client, await guardrailId(client, wanted)).catch((error) => {
        // That of a workspace is made by its first change.
        if (!wanted.startsWith('default:') || !(error instanceof ServiceRefused && error.status === 404)) throw error
        throw new StartupError(
          `Nothing is set for all of this workspace yet: "signalbox guardrails set ${wanted} …" does.`,
        )
      })
      out(json ? JSON.stringify(guardrail, null, 2) : guardrailListing(guardrail))
    })
}

export async function readGuardrail(client: ApiClient, id: string): Promise<Guardrail> {
  return (await client.ask<{ data: Guardrail }>('GET', `/guardrails/${id}`)).data
}

/** The fields that say something. */
export function guardrailListing(guardrail: Guardrail): string {
  const said = new Set(['id', 'name', 'description', 'workspace_id', 'spent_usd', 'resets_at', ...rulesOf(guardrail)])
  return listing(Object.fromEntries(Object.entries(guardrail).filter(([name]) => said.has(name))))
}

const rulesOf = (guardrail: Guardrail) =>
  Object.keys(emptyPolicy).filter((name) => guardrail[name] !== emptyPolicy[name as keyof Policy])

function guardrailTable(guardrails: Guardrail[], workspaces: WorkspaceRecord[]): string {
  const rows = guardrails.map((guardrail) => {
    const workspace = workspaces.find(({ id }) => id === guardrail.workspace_id)
    const governs = workspace?.default_guardrail_id === guardrail.id ? 'all of it' : 'whom it is assigned to'
    const { limit_usd: limit, reset_interval: interval, spent_usd: spent = 0 } = guardrail
    const rules = rulesOf(guardrail).filter((name) => !['limit_usd', 'reset_interval'].includes(name))
    return [
      guardrail.name,
      workspace?.slug ?? '-',
      governs,
      limit === null ? '-' : `$${limit}${interval ? ` ${interval}` : ''}`,
      limit === null ? '-' : `$${spent.toFixed(6)}`,
      rules.join(', ') || '-',
      guardrail.id,
    ]
  })
  return table(['NAME', 'WORKSPACE', 'GOVERNS', 'LIMIT', 'SPENT', 'OTHER RULES', 'ID'], rows)
}

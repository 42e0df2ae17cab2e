import type { Command } from 'commander'
import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { emptyPolicy, type Policy } from '#policy/guardrails/decide/policy.ts'
import type { Guardrail } from '#policy/guardrails/guardrail.ts'
import { type ApiClient, createApiClient, managementKeyHelp, ServiceError } from '../../kit/api-client.ts'
import { formatRecord } from '../../kit/fields.ts'
import { findGuardrailId, guardrailHelp } from '../../kit/find.ts'
import { usd } from '../../kit/format.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

export function readCommands(guardrails: Command, { env, out }: Terminal): void {
  guardrails
    .command('list')
    .description('List the guardrails of all workspaces, with their spend')
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async ({ json }: { json?: boolean }) => {
      const client = createApiClient(env)
      const listed = await client.listAll<Guardrail>('/guardrails')
      // The list does not contain the spend.
      const withSpend = await Promise.all(listed.map(({ id }) => readGuardrail(client, id)))
      if (json) return out(JSON.stringify(withSpend, null, 2))
      out(guardrailTable(withSpend, await client.listAll<WorkspaceRecord>('/workspaces')))
    })

  guardrails
    .command('show')
    .description('Show the rules and the spend of a guardrail')
    .argument('<guardrail>', guardrailHelp)
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async (idOrName: string, { json }: { json?: boolean }) => {
      const client = createApiClient(env)
      const guardrail = await readGuardrail(client, await findGuardrailId(client, idOrName)).catch((error) => {
        // The default guardrail of a workspace is created by its first change.
        if (!idOrName.startsWith('default:') || !(error instanceof ServiceError && error.status === 404)) throw error
        throw new UserFacingError(
          `This workspace has no default rules yet. To set some: npx signalbox guardrails set ${idOrName} <rules...>`,
        )
      })
      out(json ? JSON.stringify(guardrail, null, 2) : formatGuardrail(guardrail))
    })
}

async function readGuardrail(client: ApiClient, id: string): Promise<Guardrail> {
  return (await client.request<{ data: Guardrail }>('GET', `/guardrails/${id}`)).data
}

/** Prints the fields of a guardrail that are set. */
export function formatGuardrail(guardrail: Guardrail): string {
  const names = new Set([
    'id',
    'name',
    'description',
    'workspace_id',
    'spent_usd',
    'unconfirmed_usd',
    'resets_at',
    ...rulesOf(guardrail),
  ])
  return formatRecord(Object.fromEntries(Object.entries(guardrail).filter(([name]) => names.has(name))))
}

const rulesOf = (guardrail: Guardrail) =>
  Object.keys(emptyPolicy).filter((name) => guardrail[name] !== emptyPolicy[name as keyof Policy])

function guardrailTable(guardrails: Guardrail[], workspaces: WorkspaceRecord[]): string {
  const rows = guardrails.map((guardrail) => {
    const workspace = workspaces.find(({ id }) => id === guardrail.workspace_id)
    const scope = workspace?.default_guardrail_id === guardrail.id ? 'workspace' : 'assigned keys and members'
    const {
      limit_usd: limit,
      reset_interval: interval,
      spent_usd: spent = 0,
      unconfirmed_usd: unconfirmed = 0,
    } = guardrail
    const rules = rulesOf(guardrail).filter((name) => !['limit_usd', 'reset_interval'].includes(name))
    return [
      guardrail.name,
      workspace?.slug ?? '-',
      scope,
      limit === null ? '-' : `$${limit}${interval ? ` ${interval}` : ''}`,
      limit === null ? '-' : usd(spent),
      limit === null ? '-' : usd(unconfirmed),
      rules.join(', ') || '-',
      guardrail.id,
    ]
  })
  return table(['NAME', 'WORKSPACE', 'APPLIES TO', 'LIMIT', 'SPENT', 'UNCONFIRMED', 'OTHER RULES', 'ID'], rows)
}

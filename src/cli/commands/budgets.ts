import type { Command } from 'commander'
import type { WorkspaceRecord } from '#identity/accounts/workspace.ts'
import { type ApiClient, createApiClient, managementKeyHelp } from '../kit/api-client.ts'
import { usd } from '../kit/format.ts'
import { positiveUsd } from '../kit/option-parsers.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { collectPercent, thresholdsCommand } from './budgets/thresholds.ts'

type Budget = {
  limit_usd: number
  reset_interval: string | null
  spent_usd: number
  unconfirmed_usd: number
  held_usd: number
  resets_at: string | null
}
type BudgetList = { data: Budget[]; include_byok_in_budgets: boolean }
/** The owner of budgets: a workspace, or the organization. */
type Owner = { workspace?: string }
const organization: Owner = {}
type SetOptions = Owner & { includeByok?: boolean; thresholds?: number[] }
type OwnedBudgets = { owner: string; budgets: Budget[] }

export function budgetsCommand(budgets: Command, { env, out }: Terminal): void {
  budgets
    .command('list')
    .description('List the budgets of the organization and of every workspace')
    .option('--workspace <slug>', 'List only the budgets of this workspace')
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async ({ workspace, json }: Owner & { json?: boolean }) => {
      const ownedBudgets = await readBudgets(createApiClient(env), workspace)
      out(json ? JSON.stringify(ownedBudgets, null, 2) : budgetTable(ownedBudgets))
    })

  budgets
    .command('set')
    .description('Create or change a budget. A shorter interval needs a smaller limit')
    .argument('<interval>', 'daily, weekly, monthly or lifetime (never resets)')
    .argument('<usd>', 'Limit in US dollars', positiveUsd)
    .option('--workspace <slug>', 'Slug of the workspace (default: the organization)')
    .option('--thresholds <percent...>', 'Percentages of the limit at which webhooks are notified', collectPercent)
    .option('--include-byok', 'Count spending on your own provider keys in the budgets of all intervals')
    .option('--no-include-byok', 'Do not count spending on your own provider keys')
    .addHelpText('after', managementKeyHelp)
    .action(async (interval: string, limit: number, options: SetOptions) => {
      const { includeByok, thresholds } = options
      // Undefined fields are not sent, and stay unchanged.
      const body = { limit_usd: limit, include_byok_in_budgets: includeByok, thresholds }
      await createApiClient(env).request('PUT', `${budgetsPath(options)}/${encodeURIComponent(interval)}`, body)
      out(`The ${interval} budget of ${ownerName(options)} is ${limit} USD.`)
    })

  thresholdsCommand(budgets, { env, out })

  budgets
    .command('delete')
    .description('Delete a budget')
    .argument('<interval>', 'daily, weekly, monthly or lifetime (never resets)')
    .option('--workspace <slug>', 'Slug of the workspace (default: the organization)')
    .addHelpText('after', managementKeyHelp)
    .action(async (interval: string, options: Owner) => {
      await createApiClient(env).request('DELETE', `${budgetsPath(options)}/${encodeURIComponent(interval)}`)
      out(`The ${interval} budget of ${ownerName(options)} is deleted.`)
    })
}

const budgetsPath = ({ workspace }: Owner) =>
  workspace === undefined ? '/organization/budgets' : `/workspaces/${encodeURIComponent(workspace)}/budgets`

const ownerName = ({ workspace }: Owner) =>
  workspace === undefined ? 'the organization' : `the workspace ${workspace}`

/** Reads the budgets of one workspace, or of the organization and all workspaces. */
async function readBudgets(client: ApiClient, workspace: string | undefined): Promise<OwnedBudgets[]> {
  const owners: Owner[] = []
  if (workspace === undefined) {
    const workspaces = await client.listAll<WorkspaceRecord>('/workspaces')
    owners.push(organization, ...workspaces.map(({ slug }) => ({ workspace: slug })))
  } else owners.push({ workspace })
  return Promise.all(
    owners.map(async (owner) => ({
      owner: owner.workspace ?? 'organization',
      budgets: (await client.request<BudgetList>('GET', budgetsPath(owner))).data,
    })),
  )
}

function budgetTable(ownedBudgets: OwnedBudgets[]): string {
  const rows = ownedBudgets.flatMap(({ owner, budgets }) =>
    budgets.map((budget) => [
      owner,
      budget.reset_interval ?? 'lifetime',
      `$${budget.limit_usd}`,
      usd(budget.spent_usd),
      usd(budget.unconfirmed_usd),
      usd(budget.held_usd),
      budget.resets_at?.slice(0, 10) ?? 'never',
    ]),
  )
  return table(['OWNER', 'INTERVAL', 'LIMIT', 'SPENT', 'UNCONFIRMED', 'RESERVED', 'RESETS'], rows)
}

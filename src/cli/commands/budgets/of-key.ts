import type { Command } from 'commander'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { allKeys } from '../keys/list.ts'
import { findByHash } from '../keys/revoke.ts'

type KeyBudget = {
  layer: string
  limit_usd: number
  reset_interval: string | null
  spent_usd: number
  held_usd: number
  resets_at: string | null
}

export function keyBudgetsCommand(budgets: Command, { env, out }: Pick<Terminal, 'env' | 'out'>): void {
  budgets
    .command('key')
    .description('List the budgets that count what a key spends, in the order in which they are checked')
    .argument('<hash>', 'Hash of the key, as listed by "keys list", or its first 6 or more digits')
    .option('--json', 'Print JSON')
    .addHelpText('after', clientHelp)
    .action(async (digits: string, { json }: { json?: boolean }) => {
      const client = apiClient(env)
      const { hash } = findByHash(await allKeys(client), digits)
      const { data } = await client.request<{ data: KeyBudget[] }>('GET', `/keys/${hash}/budgets`)
      out(json ? JSON.stringify(data, null, 2) : budgetTable(data))
    })
}

function budgetTable(budgets: KeyBudget[]): string {
  const rows = budgets.map((budget) => [
    budget.layer,
    budget.reset_interval ?? 'lifetime',
    `$${budget.limit_usd}`,
    `$${budget.spent_usd.toFixed(6)}`,
    `$${budget.held_usd.toFixed(6)}`,
    budget.resets_at?.slice(0, 10) ?? 'never',
  ])
  return table(['LAYER', 'INTERVAL', 'LIMIT', 'SPENT', 'RESERVED', 'RESETS'], rows)
}

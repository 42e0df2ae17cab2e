import { type Command, InvalidArgumentError, Option } from 'commander'
import type { InternBudget } from '#interns/registry/budget.ts'
import type { InternRecord } from '#interns/registry/intern.ts'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, apiKeyHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'

export type BudgetOptions = {
  maxCost?: number
  maxSeconds?: number
  sessionMaxCost?: number
  sessionMaxTurns?: number
}

/** Adds the options of a budget to a command. `budgetOf` reads them. */
export function withBudget(command: Command): Command {
  return command
    .addOption(new Option('--max-cost <usd>', 'Maximum cost of a turn, in USD').argParser(amount))
    .addOption(new Option('--max-seconds <count>', 'Maximum working time of a turn, in seconds').argParser(amount))
    .addOption(new Option('--session-max-cost <usd>', 'Maximum total cost of a session, in USD').argParser(amount))
    .addOption(new Option('--session-max-turns <count>', 'Maximum number of turns of a session').argParser(amount))
}

/** @returns undefined when no option is given */
export function budgetOf({ maxCost, maxSeconds, sessionMaxCost, sessionMaxTurns }: BudgetOptions) {
  const budget: InternBudget = {
    ...(maxCost !== undefined && { max_cost_usd: maxCost }),
    ...(maxSeconds !== undefined && { max_seconds: maxSeconds }),
    ...(sessionMaxCost !== undefined && { session_max_cost_usd: sessionMaxCost }),
    ...(sessionMaxTurns !== undefined && { session_max_turns: sessionMaxTurns }),
  }
  return Object.keys(budget).length > 0 ? budget : undefined
}

function amount(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value
  throw new InvalidArgumentError('It must be a positive number.')
}

export function budgetCommand(interns: Command, { env, out }: Terminal): void {
  withBudget(interns.command('budget').description('Change the limits for the turns and sessions of an intern'))
    .argument('<intern>', 'Name or ID of the intern')
    .option('--none', 'Remove all limits')
    .addHelpText('after', apiKeyHelp)
    .action(async (intern: string, { none, ...options }: BudgetOptions & { none?: true }) => {
      const budget = budgetOf(options)
      if ((budget === undefined) === (none === undefined))
        throw new StartupError('Specify at least one limit, such as --max-cost 0.5, or --none.')
      const path = `/interns/${encodeURIComponent(intern)}`
      const client = apiClient(env, 'api')
      const changed = await client.request<InternRecord>('PATCH', path, { budget: budget ?? null })
      out(changed.budget ? `"${intern}": ${JSON.stringify(changed.budget)}` : `"${intern}" has no limits.`)
    })
}

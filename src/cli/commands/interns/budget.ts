import { type Command, Option } from 'commander'
import type { InternResponse } from '#interns/registry/intern.ts'
import type { InternBudget } from '#interns/registry/intern-budget.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { apiKeyHelp, createApiClient } from '../../kit/api-client.ts'
import { internPath } from '../../kit/intern-path.ts'
import { positiveNumber, positiveUsd } from '../../kit/option-parsers.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { budgetText, readBudgetUsage } from './budget-usage.ts'

export type BudgetOptions = {
  maxCost?: number
  maxSeconds?: number
  sessionMaxCost?: number
  sessionMaxTurns?: number
}

/** Adds the options of a budget to a command. `readBudgetOptions` reads them. */
export function addBudgetOptions(command: Command): Command {
  return command
    .addOption(new Option('--max-cost <usd>', 'Maximum cost of a turn, in USD').argParser(positiveUsd))
    .addOption(
      new Option('--max-seconds <count>', 'Maximum working time of a turn, in seconds').argParser(positiveNumber),
    )
    .addOption(new Option('--session-max-cost <usd>', 'Maximum total cost of a session, in USD').argParser(positiveUsd))
    .addOption(
      new Option('--session-max-turns <count>', 'Maximum number of runs of a session').argParser(positiveNumber),
    )
}

/** Converts the options to a budget. @returns undefined when no option is given */
export function readBudgetOptions({ maxCost, maxSeconds, sessionMaxCost, sessionMaxTurns }: BudgetOptions) {
  const budget: InternBudget = {}
  if (maxCost !== undefined) budget.max_cost_usd = maxCost
  if (maxSeconds !== undefined) budget.max_seconds = maxSeconds
  if (sessionMaxCost !== undefined) budget.session_max_cost_usd = sessionMaxCost
  if (sessionMaxTurns !== undefined) budget.session_max_turns = sessionMaxTurns
  return Object.keys(budget).length > 0 ? budget : undefined
}

export function budgetCommand(interns: Command, { env, out }: Terminal): void {
  addBudgetOptions(
    interns.command('budget').description('Show or change the limits for the turns and sessions of an intern'),
  )
    .argument('<intern>', 'Name or ID of the intern')
    .option('--none', 'Remove all limits')
    .option('--json', 'Print JSON')
    .addHelpText(
      'after',
      `\nWithout a limit or --none, the command shows the limits, and what the latest\nsessions have spent.\n${apiKeyHelp}`,
    )
    .action(async (intern: string, { none, json, ...options }: BudgetOptions & { none?: true; json?: true }) => {
      const budget = readBudgetOptions(options)
      if (budget !== undefined && none !== undefined)
        throw new UserFacingError('Specify limits, such as --max-cost 0.5, or --none, not both.')
      const client = createApiClient(env, 'api')
      if (budget !== undefined || none !== undefined)
        await client.request<InternResponse>('PATCH', internPath(intern), { budget: budget ?? null })
      const usage = await readBudgetUsage(client, intern)
      out(json ? JSON.stringify(usage, null, 2) : budgetText(intern, usage))
    })
}

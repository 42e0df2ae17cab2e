import { type Command, InvalidArgumentError, Option } from 'commander'
import type { InternBudget } from '#interns/registry/budget.ts'
import type { InternRecord } from '#interns/registry/intern.ts'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, internsHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'

export type BudgetOptions = {
  maxCost?: number
  maxSeconds?: number
  sessionMaxCost?: number
  sessionMaxTurns?: number
}

/** The options of a budget, which is undefined where none of them is given. */
export function withBudget(command: Command): Command {
  return command
    .addOption(new Option('--max-cost <usd>', 'what a turn may cost').argParser(amount))
    .addOption(new Option('--max-seconds <count>', 'how long a turn may work').argParser(amount))
    .addOption(new Option('--session-max-cost <usd>', 'what all turns of a session may cost').argParser(amount))
    .addOption(new Option('--session-max-turns <count>', 'how many turns a session may have').argParser(amount))
}

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
  throw new InvalidArgumentError('It must be a number above 0.')
}

export function budgetCommand(interns: Command, { env, out }: Terminal): void {
  withBudget(interns.command('budget').description('change what each turn and each session of an intern may take'))
    .argument('<intern>', 'its name or id')
    .option('--none', 'it may take anything')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, { none, ...options }: BudgetOptions & { none?: true }) => {
      const budget = budgetOf(options)
      if ((budget === undefined) === (none === undefined))
        throw new StartupError('Say what it may take, such as --max-cost 0.5; or --none.')
      const path = `/interns/${encodeURIComponent(intern)}`
      const client = apiClient(env, 'api')
      const changed = await client.ask<InternRecord>('PATCH', path, { budget: budget ?? null })
      out(changed.budget ? `"${intern}": ${JSON.stringify(changed.budget)}` : `"${intern}" may take anything.`)
    })
}

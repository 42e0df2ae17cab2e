import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ApiClient, createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { findByHash, findGuardrailId, guardrailHelp, hashHelp } from '../../kit/find.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Options = { set?: number[]; none?: true; default?: true }
type ThresholdsResponse = { data: { thresholds: number[] } }

const owners = [
  {
    name: 'key',
    argument: '<hash>',
    help: hashHelp,
    path: async (client: ApiClient, hash: string) => `/keys/${(await findByHash(client, hash)).hash}/thresholds`,
  },
  {
    name: 'guardrail',
    argument: '<guardrail>',
    help: guardrailHelp,
    path: async (client: ApiClient, name: string) =>
      `/guardrails/${encodeURIComponent(await findGuardrailId(client, name))}/thresholds`,
  },
] as const

/** Commands for the percentages of a limit at which webhooks are notified. `budgets set` sets those of a budget. */
export function thresholdsCommand(budgets: Command, { env, out }: Pick<Terminal, 'env' | 'out'>): void {
  const thresholds = budgets
    .command('thresholds')
    .description('Show or set the percentages of a limit at which webhooks are notified')
  for (const { name, argument, help, path } of owners) {
    thresholds
      .command(name)
      .description(`Show or set the thresholds for the limit of a ${name}`)
      .argument(argument, help)
      .option('--set <percent...>', 'Percentages of the limit, 1 to 100', collectPercent)
      .addOption(new Option('--none', 'Notify at no percentage').conflicts('set'))
      .addOption(new Option('--default', 'Restore the default: 50, 80 and 100').conflicts(['set', 'none']))
      .addHelpText('after', managementKeyHelp)
      .action(async (id: string, options: Options) => {
        const client = createApiClient(env)
        const url = await path(client, id)
        const requested = requestedThresholds(options)
        const { data } =
          requested === undefined
            ? await client.request<ThresholdsResponse>('GET', url)
            : await client.request<ThresholdsResponse>('PUT', url, { thresholds: requested })
        out(data.thresholds.length > 0 ? `${data.thresholds.join(' %, ')} %` : 'none')
      })
  }
}

/** Returns null to restore the default, and undefined to change nothing. */
function requestedThresholds(options: Options): number[] | null | undefined {
  if (options.default) return null
  return options.none ? [] : options.set
}

/** Collects the values of an option as percentages. */
export function collectPercent(text: string, earlier: number[] | undefined): number[] {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= 100) return [...(earlier ?? []), value]
  throw new InvalidArgumentError('It must be a whole number from 1 to 100.')
}

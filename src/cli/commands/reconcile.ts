import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { dayMs } from '#platform/core/clock.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { readErrorText } from '#platform/process/system-error.ts'
import { type ApiClient, createApiClient, managementKeyHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { type Comparison, compareUsage, isEqual } from './reconcile/compare.ts'
import { exportFormats, readExport, type UsageSum } from './reconcile/exports.ts'

type Options = { provider: string; file: string; as?: string; all?: boolean; json?: boolean }

export function reconcileCommand(command: Command, { env, out }: Terminal): void {
  command
    .addOption(
      new Option('--provider <name>', 'The provider that exported the file')
        .choices(Object.keys(exportFormats))
        .makeOptionMandatory(),
    )
    .requiredOption('--file <csv>', "The CSV file from the usage or cost page of the provider's console")
    .option('--as <slug>', 'Slug of the provider in the catalogue (default: the same name)')
    .option('--all', 'Also print rows without a difference')
    .option('--json', 'Print JSON')
    .addHelpText('after', managementKeyHelp)
    .action(async ({ provider, file, as = provider, all, json }: Options) => {
      const billed = await readBilled(provider, file)
      const ledger = await readLedger(createApiClient(env), as, billed)
      const comparisons = compareUsage(ledger, billed)
      const printedRows = comparisons.filter((comparison) => all || !isEqual(comparison))
      out(json ? JSON.stringify(printedRows, null, 2) : formatReport(printedRows, comparisons))
    })
}

async function readBilled(provider: string, file: string): Promise<UsageSum[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UserFacingError(`${file} cannot be read: ${readErrorText(error)}.`)
  })
  let rows: UsageSum[]
  try {
    rows = readExport(provider, text)
  } catch (error) {
    throw new UserFacingError(`${file}: ${(error as Error).message}`)
  }
  if (rows.length > 0) return rows
  throw new UserFacingError(`${file} has no usage.`)
}

type LedgerRow = {
  date: string
  model: string
  answered_count: number
  tokens_prompt: number
  tokens_completion: number
  upstream_inference_cost: number
}

/** The sums of the ledger on the days of the export. */
async function readLedger(client: ApiClient, provider: string, billed: readonly UsageSum[]): Promise<UsageSum[]> {
  // There is a day: an export without rows was rejected.
  const days = billed.map(({ day }) => day).toSorted()
  const end = new Date(Date.parse(days.at(-1)!) + dayMs).toISOString()
  const { data } = await client.request<{ data: { data: LedgerRow[] } }>('POST', '/analytics/query', {
    metrics: ['answered_count', 'tokens_prompt', 'tokens_completion', 'upstream_inference_cost'],
    dimensions: ['model'],
    granularity: 'day',
    time_range: { start: `${days[0]}T00:00:00Z`, end },
    filters: [{ field: 'provider', operator: 'eq', value: provider }],
  })
  return data.data.map((row) => ({
    day: row.date.slice(0, 10),
    model: row.model,
    requests: row.answered_count,
    input_tokens: row.tokens_prompt,
    output_tokens: row.tokens_completion,
    cost_usd: row.upstream_inference_cost,
  }))
}

function formatReport(printedRows: readonly Comparison[], comparisons: readonly Comparison[]): string {
  const equalCount = comparisons.filter(isEqual).length
  const summary = `${equalCount} of ${comparisons.length} sums are equal.`
  if (printedRows.length === 0) return summary
  const rows = printedRows.map(({ day, model, measure, ...amounts }) => {
    const formatAmount = (amount: number) => (measure === 'cost_usd' ? amount.toFixed(6) : String(amount))
    const difference = `${amounts.difference > 0 ? '+' : ''}${formatAmount(amounts.difference)}`
    return [day, model, measure, formatAmount(amounts.ledger), formatAmount(amounts.provider), difference]
  })
  return `${table(['DAY (UTC)', 'MODEL', 'MEASURE', 'LEDGER', 'PROVIDER', 'DIFFERENCE'], rows)}\n${summary}`
}

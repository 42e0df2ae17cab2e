import { type Command, Option } from 'commander'
import type { z } from 'zod'
import type { ActivityItem } from '#api/routes/activity/item.ts'
import { createApiClient, managementKeyHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { unknownFilterHints } from '../kit/unknown-filter-hints.ts'

type Item = z.infer<typeof ActivityItem>
type UsageRow = Pick<
  Item,
  'requests' | 'prompt_tokens' | 'completion_tokens' | 'usage' | 'byok_usage_inference' | 'unconfirmed_usd'
>

/** The dimensions for `--by`: their name in the API, and their columns. */
const dimensions = {
  member: {
    groupBy: 'member,day',
    headings: ['MEMBER', 'NAME'],
    cells: (item: Item) => [item.user_email ?? item.user_id, item.user_name],
  },
  key: {
    groupBy: 'key,day',
    headings: ['HASH', 'KEY', 'MEMBER'],
    cells: (item: Item) => [item.api_key_hash?.slice(0, 12), item.api_key_name, item.user_email ?? item.user_id],
  },
  workspace: {
    groupBy: 'workspace,day',
    headings: ['WORKSPACE'],
    cells: (item: Item) => [item.workspace_name ?? item.workspace_id],
  },
  day: { groupBy: 'day', headings: ['DAY (UTC)'], cells: (item: Item) => [item.date] },
  model: { groupBy: undefined, headings: ['MODEL'], cells: (item: Item) => [item.model] },
} satisfies Record<string, { groupBy: string | undefined; headings: string[]; cells: (item: Item) => unknown[] }>

type Options = { by: keyof typeof dimensions; day?: string; for?: string; workspace?: string; json?: boolean }

export function usageCommand(command: Command, { env, out, err }: Terminal): void {
  command
    .addOption(new Option('--by <dimension>', 'Group by').choices(Object.keys(dimensions)).default('member'))
    .option('--day <date>', 'Only this day, such as 2030-01-31')
    .option('--for <email>', 'Filter by member')
    .option('--workspace <slug>', 'Filter by workspace')
    .option('--json', 'Print the rows of the API as JSON')
    .addHelpText(
      'after',
      `\nUNCONFIRMED USD is charged to limits in addition, because no provider reported\nwhat it billed.\n${managementKeyHelp}`,
    )
    .action(async (options: Options) => {
      const { groupBy } = dimensions[options.by]
      const query = new URLSearchParams()
      if (groupBy) query.set('group_by', groupBy)
      if (options.day) query.set('date', options.day)
      if (options.for) query.set('user_id', options.for)
      if (options.workspace) query.set('workspace_id', options.workspace)
      const client = createApiClient(env)
      const { data } = await client.request<{ data: Item[] }>('GET', `/activity?${query}`)
      const filters = { member: options.for, workspace: options.workspace }
      if (data.length === 0) for (const hint of await unknownFilterHints(client, filters)) err(hint)
      out(options.json ? JSON.stringify(data, null, 2) : usageTable(options.by, data))
    })
}

/** Sorts by cost, or by day for `--by day`. The last row is the total. */
function usageTable(by: keyof typeof dimensions, items: Item[]): string {
  const { headings, cells } = dimensions[by]
  const groups = Map.groupBy(items, (item) => JSON.stringify(cells(item)))
  const sums = [...groups.values()].map((group) => ({ labels: cells(group[0]!), sum: sumOf(group) }))
  if (by !== 'day') sums.sort((a, b) => b.sum.usage - a.sum.usage || b.sum.requests - a.sum.requests)
  const rows = sums.map(({ labels, sum }) => [...labels.map((cell) => String(cell || '-')), ...formatFigures(sum)])
  const total = ['TOTAL', ...headings.slice(1).map(() => ''), ...formatFigures(sumOf(items))]
  return table(
    [...headings, 'REQUESTS', 'PROMPT', 'COMPLETION', 'USD', 'USD (BYOK)', 'UNCONFIRMED USD'],
    [...rows, total],
  )
}

function sumOf(items: readonly UsageRow[]): UsageRow {
  const sum = (name: keyof UsageRow) => items.reduce((total, item) => total + item[name], 0)
  return {
    requests: sum('requests'),
    prompt_tokens: sum('prompt_tokens'),
    completion_tokens: sum('completion_tokens'),
    usage: sum('usage'),
    byok_usage_inference: sum('byok_usage_inference'),
    unconfirmed_usd: sum('unconfirmed_usd'),
  }
}

/** Six decimals show the price of a token of the cheapest model, and hide rounding errors of floating-point sums. */
const formatFigures = (row: UsageRow) => [
  ...[row.requests, row.prompt_tokens, row.completion_tokens].map(String),
  ...[row.usage, row.byok_usage_inference, row.unconfirmed_usd].map((usd) => usd.toFixed(6)),
]

import { type Command, Option } from 'commander'
import type { z } from 'zod'
import type { ActivityItem } from '#api/routes/activity/item.ts'
import { apiClient, clientHelp } from '../kit/api-client.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { unknownNames } from './unknown-names.ts'

type Item = z.infer<typeof ActivityItem>
type UsageRow = Pick<Item, 'requests' | 'prompt_tokens' | 'completion_tokens' | 'usage' | 'byok_usage_inference'>

/** The kinds of rows: their name in the API, and the content of their cells. */
const kinds = {
  member: {
    groupBy: 'member,day',
    heads: ['MEMBER', 'NAME'],
    cells: (i: Item) => [i.user_email ?? i.user_id, i.user_name],
  },
  key: {
    groupBy: 'key,day',
    heads: ['HASH', 'KEY', 'MEMBER'],
    cells: (i: Item) => [i.api_key_hash?.slice(0, 12), i.api_key_name, i.user_email ?? i.user_id],
  },
  workspace: {
    groupBy: 'workspace,day',
    heads: ['WORKSPACE'],
    cells: (i: Item) => [i.workspace_name ?? i.workspace_id],
  },
  day: { groupBy: 'day', heads: ['DAY (UTC)'], cells: (i: Item) => [i.date] },
  model: { groupBy: undefined, heads: ['MODEL'], cells: (i: Item) => [i.model] },
} satisfies Record<string, { groupBy: string | undefined; heads: string[]; cells: (item: Item) => unknown[] }>

type Options = { by: keyof typeof kinds; day?: string; for?: string; workspace?: string; json?: boolean }

export function usageCommand(program: Command, { env, out, err }: Terminal): void {
  program
    .command('usage')
    .description('tell who used and spent what in the last 30 days')
    .addOption(new Option('--by <what>', 'what to add up by').choices(Object.keys(kinds)).default('member'))
    .option('--day <date>', 'one day of them, such as 2030-01-31')
    .option('--for <email>', 'what one member used')
    .option('--workspace <slug>', 'what was used in one workspace')
    .option('--json', 'print the days as the API has them')
    .addHelpText('after', clientHelp)
    .action(async (options: Options) => {
      const { groupBy } = kinds[options.by]
      const query = new URLSearchParams({
        ...(groupBy && { group_by: groupBy }),
        ...(options.day && { date: options.day }),
        ...(options.for && { user_id: options.for }),
        ...(options.workspace && { workspace_id: options.workspace }),
      })
      const client = apiClient(env)
      const { data } = await client.ask<{ data: Item[] }>('GET', `/activity?${query}`)
      const named = { member: options.for, workspace: options.workspace }
      if (data.length === 0) for (const name of await unknownNames(client, named)) err(name)
      out(options.json ? JSON.stringify(data, null, 2) : usageTable(options.by, data))
    })
}

/** The dearest first, days in their order, and the sum of all at the end. */
function usageTable(by: keyof typeof kinds, items: Item[]): string {
  const { heads, cells } = kinds[by]
  const groups = Map.groupBy(items, (item) => JSON.stringify(cells(item)))
  const sums = [...groups.values()].map((group) => ({ of: cells(group[0]!), sum: sumOf(group) }))
  if (by !== 'day') sums.sort((a, b) => b.sum.usage - a.sum.usage || b.sum.requests - a.sum.requests)
  const rows = sums.map(({ of, sum }) => [...of.map((cell) => String(cell ?? '-')), ...figures(sum)])
  const total = ['TOTAL', ...heads.slice(1).map(() => ''), ...figures(sumOf(items))]
  return table([...heads, 'REQUESTS', 'PROMPT', 'COMPLETION', 'USD', 'USD ON OWN KEYS'], [...rows, total])
}

function sumOf(items: readonly UsageRow[]): UsageRow {
  const sum = (name: keyof UsageRow) => items.reduce((all, item) => all + item[name], 0)
  return {
    requests: sum('requests'),
    prompt_tokens: sum('prompt_tokens'),
    completion_tokens: sum('completion_tokens'),
    usage: sum('usage'),
    byok_usage_inference: sum('byok_usage_inference'),
  }
}

/** Six decimals hold the price of a token of the cheapest model, and hide what adding binary fractions leaves. */
const figures = (row: UsageRow) => [
  ...[row.requests, row.prompt_tokens, row.completion_tokens].map(String),
  ...[row.usage, row.byok_usage_inference].map((usd) => usd.toFixed(6)),
]

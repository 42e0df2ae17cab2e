import type { Command } from 'commander'
import { createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { countWithNoun, usd } from '../../kit/format.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { unknownFilterHints } from '../../kit/unknown-filter-hints.ts'
import { addFilterOptions, buildQuery, type FilterOptions } from './list.ts'

type Options = FilterOptions & { all?: boolean; json?: boolean }
type Released = { requests: number; released_usd: number }

export function releaseCommand(requests: Command, { env, out, err }: Terminal): void {
  const release = requests
    .command('release')
    .description('Release charges that the provider did not confirm')
    .argument('[id]', 'ID of one request. Without it, specify filters or --all')
    .option('--all', 'Release the unconfirmed amounts of all requests')
    .option('--json', 'Print JSON')
  addFilterOptions(release)
    .addHelpText('after', `\nBudgets get the amounts back, and the audit log records it.\n${managementKeyHelp}`)
    .action(async (id: string | undefined, { all, json, ...filters }: Options) => {
      const query = buildQuery(filters)
      if (id !== undefined) query.set('id', id)
      if (all) query.set('all', 'true')
      const client = createApiClient(env)
      const { data } = await client.request<{ data: Released }>('POST', `/generations/release?${query}`)
      if (data.requests === 0) for (const hint of await unknownFilterHints(client, filters)) err(hint)
      if (json) return out(JSON.stringify(data, null, 2))
      out(`Released ${usd(data.released_usd)} of ${countWithNoun(data.requests, 'request')}.`)
    })
}

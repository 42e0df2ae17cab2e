import type { Command } from 'commander'
import { apiClient, internsHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { wholeNumber } from '../../kit/whole-number.ts'

type Request = { id: string; created_at: string; model: string; outcome: string; cost_usd: number; is_shared: boolean }
type Listed = { data: { requests: Request[]; request_count: number; total_cost_usd: number } }
type Options = { limit: number; json?: true }

/** Lists the model requests of a session. */
export function sessionRequestsCommand(interns: Command, { env, out }: Terminal): void {
  interns
    .command('requests')
    .description('List the model requests of a session with their cost, oldest first')
    .argument('<intern>', 'Name or ID of the intern')
    .argument('<session>', 'ID of the session, as listed by "interns runs"')
    .option('--limit <count>', 'Maximum number of requests', wholeNumber(1), 200)
    .option('--json', 'Print JSON')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, session: string, { limit, json }: Options) => {
      const path = `/interns/${encodeURIComponent(intern)}/sessions/${encodeURIComponent(session)}/requests`
      const { data } = await apiClient(env, 'api').request<Listed>('GET', `${path}?limit=${limit}`)
      if (json) return out(JSON.stringify(data, null, 2))
      out(requestTable(data.requests))
      out(`\n${data.request_count} requests, $${data.total_cost_usd.toFixed(6)}`)
    })
}

function requestTable(requests: Request[]): string {
  const rows = requests.map(({ id, created_at, model, outcome, cost_usd, is_shared }) => [
    created_at.slice(0, 19).replace('T', ' '),
    model,
    outcome,
    `$${cost_usd.toFixed(6)}`,
    id,
    is_shared ? 'possibly of another session' : '',
  ])
  return table(['STARTED (UTC)', 'MODEL', 'OUTCOME', 'COST', 'REQUEST', 'NOTE'], rows)
}

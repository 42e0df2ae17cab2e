import { type Command, InvalidArgumentError } from 'commander'
import { dayMs, hourMs, minuteMs } from '#platform/core/clock.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'
import { type ApiClient, createApiClient, managementKeyHelp } from '../../kit/api-client.ts'
import { formatSecond } from '../../kit/format.ts'
import { wholeNumber } from '../../kit/option-parsers.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { unknownFilterHints } from '../../kit/unknown-filter-hints.ts'

/** The filter options, and the query parameter of the API for each. */
const filters = {
  since: 'from',
  outcome: 'outcome',
  error: 'error',
  model: 'model',
  provider: 'provider',
  preset: 'preset',
  session: 'session_id',
  key: 'api_key_hash',
  member: 'user_id',
  workspace: 'workspace_id',
} as const

export type FilterOptions = { [filter in keyof typeof filters]?: string }
type Options = FilterOptions & { limit: number; unconfirmed?: boolean; json?: boolean }

type Page = { data: GenerationRecord[]; next_cursor: string | null }

export function listCommand(requests: Command, { env, out, err }: Terminal): void {
  const list = requests
    .command('list')
    .description('List requests, newest first')
    .option('--limit <count>', 'Maximum number of requests', wholeNumber(1), 20)
    .option('--unconfirmed', 'Only requests for which limits are charged more than the reported cost')
    .option('--json', 'Print all fields as JSON')
  addFilterOptions(list)
    .addHelpText('after', managementKeyHelp)
    .action(async (options: Options) => {
      const client = createApiClient(env)
      const query = buildQuery(options)
      if (options.unconfirmed) query.set('unconfirmed', 'true')
      const found = await readNewest(client, query, options.limit)
      if (found.length === 0) for (const hint of await unknownFilterHints(client, options)) err(hint)
      out(options.json ? JSON.stringify(found, null, 2) : requestTable(found))
    })
}

export function addFilterOptions(command: Command): Command {
  return command
    .option(
      '--since <time>',
      'Only requests since this time: an age such as 30m, 2h or 7d, or 2030-01-31T00:00:00Z',
      parseInstant,
    )
    .option('--outcome <names>', 'Filter by outcome: success, failed, refused or client_left, separated by commas')
    .option('--error <kind>', 'Filter by error, such as "limit_reached"')
    .option('--model <id>', 'Filter by the requested model, or by the model that responded')
    .option('--provider <slug>', 'Filter by provider')
    .option('--preset <slug>', 'Filter by preset')
    .option('--session <id>', 'Filter by session')
    .option('--key <hash>', 'Filter by key: its complete hash')
    .option('--member <email>', 'Filter by member')
    .option('--workspace <slug>', 'Filter by workspace')
}

export function buildQuery(options: FilterOptions): URLSearchParams {
  const query = new URLSearchParams()
  for (const [option, parameter] of Object.entries(filters)) {
    const value = options[option as keyof typeof filters]
    if (value !== undefined) query.set(parameter, value)
  }
  return query
}

/** The longest page of the list. */
const maxPageSize = 100

/** Reads pages until there are `count` requests. A page with few matches is not necessarily the last page. */
async function readNewest(client: ApiClient, query: URLSearchParams, count: number): Promise<GenerationRecord[]> {
  const found: GenerationRecord[] = []
  for (;;) {
    query.set('limit', String(Math.min(maxPageSize, count - found.length)))
    const { data, next_cursor: nextCursor } = await client.request<Page>('GET', `/generations?${query}`)
    found.push(...data)
    if (found.length >= count || nextCursor === null) return found
    query.set('cursor', nextCursor)
  }
}

function requestTable(requests: GenerationRecord[]): string {
  const rows = requests.map((request) => [
    formatSecond(request.created_at),
    request.id,
    request.model || request.requested_model,
    request.provider_name ?? '-',
    request.error ? `${request.outcome}: ${request.error.kind}` : request.outcome,
    tokensText(request),
    request.total_cost.toFixed(6),
    milliseconds(request.latency),
    milliseconds(request.generation_time),
  ])
  return table(['TIME (UTC)', 'ID', 'MODEL', 'PROVIDER', 'OUTCOME', 'TOKENS', 'USD', 'FIRST TOKEN', 'DURATION'], rows)
}

const tokensText = ({ tokens_prompt, tokens_completion }: GenerationRecord) =>
  tokens_prompt === null ? '-' : `${tokens_prompt}+${tokens_completion}`

export const milliseconds = (ms: number | null) => (ms === null ? '-' : `${Math.round(ms)} ms`)

const unitMs: Record<string, number> = { s: 1000, m: minuteMs, h: hourMs, d: dayMs }

/** Converts an age or a time to an instant in UTC. */
function parseInstant(text: string): string {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return new Date(Date.now() - Number(count) * unitMs[unit!]!).toISOString()
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw new InvalidArgumentError('It must be an age such as 30m, 2h or 7d, or a time such as 2030-01-31T00:00:00Z.')
}

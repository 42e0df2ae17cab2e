import { type Command, InvalidArgumentError } from 'commander'
import type { GenerationRecord } from '#spend/ledger/record.ts'
import { type ApiClient, apiClient, clientHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { wholeNumber } from '../../kit/whole-number.ts'
import { unknownNames } from '../unknown-names.ts'

/** Each option that narrows the list, and the API's name for it. */
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

type Options = { [filter in keyof typeof filters]?: string } & { limit: number; json?: boolean }

type Page = { data: GenerationRecord[]; next_cursor: string | null }

export function listCommand(requests: Command, { env, out, err }: Terminal): void {
  requests
    .command('list')
    .description('list requests, the newest first')
    .option('--limit <count>', 'how many', wholeNumber(1), 20)
    .option('--since <when>', 'from then on: 30m, 2h, 7d, or such as 2030-01-31T00:00:00Z', instant)
    .option('--outcome <names>', 'success, failed, refused, client_left; several with commas')
    .option('--error <kind>', 'refused or failed in this way, such as "limit_reached"')
    .option('--model <id>', 'that this model answered, or that asked for it')
    .option('--provider <slug>', 'that this provider answered')
    .option('--preset <slug>', 'that this preset filled in')
    .option('--session <id>', 'of this session')
    .option('--key <hash>', 'of this key, by its whole hash')
    .option('--member <email>', 'of this member')
    .option('--workspace <slug>', 'of this workspace')
    .option('--json', 'print them as JSON, whole')
    .addHelpText('after', clientHelp)
    .action(async (options: Options) => {
      const client = apiClient(env)
      const found = await newest(client, queryOf(options), options.limit)
      if (found.length === 0) for (const name of await unknownNames(client, options)) err(name)
      out(options.json ? JSON.stringify(found, null, 2) : requestTable(found))
    })
}

function queryOf(options: Options): URLSearchParams {
  const query = new URLSearchParams()
  for (const [option, parameter] of Object.entries(filters)) {
    const value = options[option as keyof typeof filters]
    if (value !== undefined) query.set(parameter, value)
  }
  return query
}

/** A page that looked at many requests and found few of them is not the last one. */
async function newest(client: ApiClient, query: URLSearchParams, count: number): Promise<GenerationRecord[]> {
  const found: GenerationRecord[] = []
  for (;;) {
    query.set('limit', String(Math.min(100, count - found.length)))
    const { data, next_cursor: next } = await client.ask<Page>('GET', `/generations?${query}`)
    found.push(...data)
    if (found.length >= count || next === null) return found
    query.set('cursor', next)
  }
}

function requestTable(requests: GenerationRecord[]): string {
  const rows = requests.map((request) => [
    request.created_at.slice(0, 19).replace('T', ' '),
    request.id,
    request.model || request.requested_model,
    request.provider_name ?? '-',
    request.error ? `${request.outcome}: ${request.error.kind}` : request.outcome,
    tokens(request),
    request.total_cost.toFixed(6),
    milliseconds(request.latency),
    milliseconds(request.generation_time),
  ])
  return table(['WHEN (UTC)', 'ID', 'MODEL', 'PROVIDER', 'OUTCOME', 'TOKENS', 'USD', 'FIRST', 'IN ALL'], rows)
}

const tokens = ({ tokens_prompt, tokens_completion }: GenerationRecord) =>
  tokens_prompt === null ? '-' : `${tokens_prompt}+${tokens_completion}`

export const milliseconds = (ms: number | null) => (ms === null ? '-' : `${Math.round(ms)} ms`)

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function instant(text: string): string {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return new Date(Date.now() - Number(count) * unitMs[unit!]!).toISOString()
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString()
  throw new InvalidArgumentError('It must be a time ago, such as 30m, 2h or 7d, or such as 2030-01-31T00:00:00Z.')
}

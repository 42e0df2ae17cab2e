import { createDrainWaiter } from '#platform/net/drain-waiter.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { type CsvValue, csvLine } from '#platform/text/csv.ts'
import type { GenerationFilter } from '#spend/ledger/list/generation-filter.ts'
import { listGenerations } from '#spend/ledger/list/list-generations.ts'
import type { RequestReader } from '#spend/ledger/list/visibility.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'
import type { ApiDeps } from '../../access/deps.ts'
import { route } from '../route.ts'
import { GenerationFilters, toLedgerFilter } from './filters.ts'

/** The columns in their order. */
const columns = {
  created_at: (record) => record.created_at,
  id: (record) => record.id,
  request_id: (record) => record.request_id,
  session_id: (record) => record.session_id,
  workspace_id: (record) => record.workspace_id,
  user_id: (record) => record.user_id,
  api_key_hash: (record) => record.key_hash,
  requested_model: (record) => record.requested_model,
  model: (record) => record.model,
  provider_name: (record) => record.provider_name,
  endpoint_id: (record) => record.endpoint_id,
  preset: (record) => record.preset?.slug,
  outcome: (record) => record.outcome,
  error: (record) => record.error?.kind,
  finish_reason: (record) => record.finish_reason,
  streamed: (record) => record.streamed,
  is_byok: (record) => record.is_byok,
  tokens_prompt: (record) => record.tokens_prompt,
  tokens_completion: (record) => record.tokens_completion,
  tokens_reasoning: (record) => record.tokens_reasoning,
  tokens_cached: (record) => record.tokens_cached,
  tokens_cache_written: (record) => record.tokens_cache_written,
  tool_calls: (record) => record.tool_calls,
  total_cost: (record) => record.total_cost,
  upstream_inference_cost: (record) => record.upstream_inference_cost,
  unconfirmed_usd: (record) => record.unconfirmed_usd,
  cache_discount: (record) => record.cache_discount,
  latency: (record) => record.latency,
  generation_time: (record) => record.generation_time,
  throughput: (record) => record.throughput,
  app_title: (record) => record.app_title,
  http_referer: (record) => record.http_referer,
} as const satisfies Record<string, (record: GenerationRecord) => CsvValue>

const pageSize = 500

export const getGenerationsExport = route({
  method: 'get',
  path: '/generations/export',
  tag: 'usage',
  key: 'any',
  summary: 'Export the request log as CSV, newest first',
  description:
    'Exports all requests that `GET /generations` lists for the caller, with the same filters. Times are in UTC, durations in milliseconds, amounts in USD. If the connection breaks before the end, rows are missing. Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.',
  request: { query: GenerationFilters },
  mediaTypes: ['text/csv'],
  headers: { success: ['content-disposition'] },
  faults: ['invalid', 'unauthenticated'],
  handler: async ({ query, caller, response }, deps) => {
    const filter = await toLedgerFilter(deps, caller, query)
    const tracked = deps.gateway.inFlight.track(caller, response)
    try {
      tracked.response.header('content-type', 'text/csv; charset=utf-8')
      tracked.response.header('content-disposition', 'attachment; filename="generations.csv"')
      await writeRows(deps, caller, { ...filter, to: Math.min(filter.to ?? deps.now(), deps.now()) }, tracked.response)
      // A partial export must not look complete.
      if (tracked.response.revocationFault) throw tracked.response.revocationFault
      tracked.response.end()
    } finally {
      tracked.release()
    }
  },
})

/** Writes one page at a time, and waits until the reader has received the previous one. */
export async function writeRows(
  deps: Pick<ApiDeps, 'db'>,
  caller: RequestReader,
  filter: GenerationFilter,
  response: ResponseStream,
): Promise<void> {
  const waitForDrain = createDrainWaiter(response)
  let text = csvLine(Object.keys(columns))
  let cursor: string | undefined
  do {
    const page = await listGenerations(deps, caller, filter, { limit: pageSize, cursor })
    text += page.data.map((record) => csvLine(Object.values(columns).map((column) => column(record)))).join('')
    if (response.signal.aborted) return
    if (text !== '' && !response.write(text)) await waitForDrain()
    text = ''
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

import type { Routes } from '../../api/types.ts'

export type LogQuery = NonNullable<Routes['GET /generations']['query']>

/** Time ranges by their names in the address. */
export const spans: Record<string, { label: string; ms: number }> = {
  '15m': { label: '15 minutes', ms: 15 * 60_000 },
  '1h': { label: '1 hour', ms: 3_600_000 },
  '24h': { label: '24 hours', ms: 86_400_000 },
  '7d': { label: '7 days', ms: 7 * 86_400_000 },
  '30d': { label: '30 days', ms: 30 * 86_400_000 },
}

export const spanOf = (name: string | undefined) =>
  name !== undefined && Object.hasOwn(spans, name) ? spans[name] : undefined

const forwardedParameters = [
  'api_key_hash',
  'user_id',
  'workspace_id',
  'session_id',
  'model',
  'provider',
  'preset',
  'guardrail_id',
  'outcome',
  'error',
  'streamed',
  'min_cost',
  'max_cost',
  'min_latency',
  'max_latency',
  'min_generation_time',
  'max_generation_time',
] as const

/** The API query for the address. Relative time ranges end now. */
export function logQuery(values: Readonly<Record<string, string>>, now: number): LogQuery {
  const query: Record<string, string> = {}
  for (const name of forwardedParameters) if (values[name]) query[name] = values[name]
  const span = spanOf(values.last)
  if (span) query.from = new Date(now - span.ms).toISOString()
  if (values.from) query.from = parseTime(values.from)
  if (values.to) query.to = parseTime(values.to)
  return query as LogQuery
}

/** Parses a time, by default in the local time zone. The service rejects invalid values. */
function parseTime(text: string): string {
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : new Date(at).toISOString()
}

const isIdOrMissing = (text: string | undefined) => text === undefined || /^[0-9a-f-]{36}$/.test(text)

/**
 * The filters that can be matched with a request itself. It contains ids, but not the email address of its member or the
 * slug of its workspace. `isComplete`: no filter was removed.
 */
export function matchableQuery(query: LogQuery): { matchable: LogQuery; isComplete: boolean } {
  const { user_id, workspace_id, ...others } = query
  return {
    matchable: {
      ...others,
      ...(user_id !== undefined && isIdOrMissing(user_id) && { user_id }),
      ...(workspace_id !== undefined && isIdOrMissing(workspace_id) && { workspace_id }),
    },
    isComplete: isIdOrMissing(user_id) && isIdOrMissing(workspace_id),
  }
}

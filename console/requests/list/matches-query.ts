import type { Generation } from '../../api/types.ts'
import type { LogQuery } from './log-query.ts'

/** Whether a live request matches the query, with the rules of the log. */
export function matchesQuery(generation: Generation, query: LogQuery): boolean {
  const { total_cost, latency, generation_time } = generation
  const comparisons: [unknown, unknown][] = [
    [query.api_key_hash, generation.key_hash],
    [query.user_id, generation.user_id],
    [query.workspace_id, generation.workspace_id],
    [query.session_id, generation.session_id],
    [query.model, generation.model],
    [query.provider, generation.provider_name],
    [query.preset, generation.preset?.slug],
    [query.error, generation.error?.kind],
    [query.streamed, String(generation.streamed)],
  ]
  if (comparisons.some(([expected, actual]) => expected !== undefined && expected !== actual)) return false
  if (query.outcome !== undefined && !String(query.outcome).split(',').includes(generation.outcome)) return false
  if (query.guardrail_id !== undefined && !isHandledBy(generation, query.guardrail_id)) return false
  if (query.to !== undefined && generation.created_at >= query.to) return false
  if (query.from !== undefined && generation.created_at < query.from) return false
  return (
    isInRange(total_cost, query.min_cost, query.max_cost) &&
    isInRange(latency, query.min_latency, query.max_latency) &&
    isInRange(generation_time, query.min_generation_time, query.max_generation_time)
  )
}

function isHandledBy({ error, content_findings }: Generation, guardrailId: string): boolean {
  return error?.guardrail_id === guardrailId || content_findings.some((one) => one.guardrail_id === guardrailId)
}

/** Missing values match no bounds. */
function isInRange(value: number | null, min: number | undefined, max: number | undefined): boolean {
  if (min === undefined && max === undefined) return true
  if (value === null) return false
  return value >= Number(min ?? 0) && value <= Number(max ?? Number.POSITIVE_INFINITY)
}

import type { Caller } from '#identity/accounts/caller.ts'
import { fairLimit } from '#platform/async/limits/fair-limit.ts'
import { type AnalyticsQuery, queryAnalytics, type Scope } from '#spend/analytics/query.ts'
import type { ApiDeps } from '../../access/deps.ts'

/**
 * Waiting queries take turns by workspace and key, so that a key with many queries does not delay those of others. A page
 * of the console sends about ten at once; `maxWaiting` allows three pages for each key.
 */
const limitQueries = fairLimit({ maxRunning: 4, maxWaiting: 32, name: 'analytics queries' })

/**
 * Counts the requests that a caller can see, a few queries at a time.
 * @throws Fault `rate_limited` for a key with too many waiting queries; `client_closed_request`.
 */
export function queryAnalyticsFor(
  deps: Pick<ApiDeps, 'db' | 'now' | 'config'>,
  caller: Caller,
  query: AnalyticsQuery,
  signal: AbortSignal,
): ReturnType<typeof queryAnalytics> {
  const retentionDays = deps.config.generation_retention_days
  const read = () => queryAnalytics({ ...deps, retentionDays }, scopeOf(caller), query, signal)
  return limitQueries(caller, signal, read)
}

/** The requests that a caller can count. */
function scopeOf(caller: Caller): Scope {
  const { organizationId, workspaceId, keyKind, keyHash, userId, access, isWorkspaceScoped } = caller
  if (keyKind === 'management') return isWorkspaceScoped ? { organizationId, workspaceId } : { organizationId }
  return access === 'developer' ? { organizationId, workspaceId, userId } : { organizationId, keyHash }
}

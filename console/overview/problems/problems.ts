import type { Endpoint, Intern, Key, ShutCircuit, Status } from '../../api/types.ts'
import { keyPath } from '../../components/text/key-path.ts'
import { countText, percent } from '../../format/count.ts'
import { money } from '../../format/money.ts'
import { dayMs } from '../../format/time.ts'
import { type Budget, budgetStatus } from '../budgets.ts'
import type { Row } from '../queries.ts'

/** A problem, and the path of its page if there is one. */
export type ProblemItem = { id: string; tone: 'warn' | 'bad'; title: string; reason: string; path?: string }

/** With fewer requests in the last hour, the failure rate of an endpoint is not significant. */
const minRequests = 5
/** Lower failure rates are not listed. */
const minFailureRate = 0.05
/** Higher failure rates are errors, lower ones warnings. */
const minBadFailureRate = 0.5
export const expiryWarningDays = 7
const expiryWarningMs = expiryWarningDays * dayMs

/** Endpoints with a high failure rate. @param rows by endpoint and error, without granularity. */
export function failingEndpoints(rows: Row[]): ProblemItem[] {
  const byEndpoint = Map.groupBy(rows, (row) => row.endpoint as string | null)
  return [...byEndpoint].flatMap(([endpoint, rowsOfEndpoint]) => {
    if (endpoint === null) return []
    const sum = (name: string) => rowsOfEndpoint.reduce((total, row) => total + Number(row[name] ?? 0), 0)
    const [failed, accepted] = [sum('error_count'), sum('request_count') - sum('refused_count')]
    if (accepted < minRequests || failed / accepted < minFailureRate) return []
    const reasons = rowsOfEndpoint
      .filter((row) => row.error && Number(row.error_count) > 0)
      .sort((a, b) => Number(b.error_count) - Number(a.error_count))
      .map((row) => String(row.error).replaceAll('_', ' '))
    return [
      {
        id: `failing ${endpoint}`,
        tone: failed / accepted > minBadFailureRate ? ('bad' as const) : ('warn' as const),
        title: `${endpoint} fails`,
        reason: `${failed} of ${accepted} in the last hour (${percent(failed / accepted)})${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''}`,
        path: `/requests?last=1h&outcome=failed&model=${encodeURIComponent(endpoint.split('@')[0]!)}`,
      },
    ]
  })
}

/** Endpoints that are down or degraded. */
export function brokenEndpoints(endpoints: Endpoint[]): ProblemItem[] {
  return endpoints
    .filter(({ status }) => status === 'down' || status === 'degraded')
    .map(({ status, tag, model_id, provider_name, uptime_last_30m: uptime }) => ({
      id: `${model_id} ${tag}`,
      tone: status === 'down' ? ('bad' as const) : ('warn' as const),
      title: `${provider_name} ${status === 'down' ? 'is down' : 'fails often'}`,
      reason: `${model_id}${uptime === null ? '' : `: ${percent(uptime / 100)} successful in the last half hour`}`,
      path: `/models/${model_id}`,
    }))
}

/** Providers without a credential that serve recently used models. */
export function unconfiguredProviders(
  endpoints: Endpoint[],
  withoutCredential: ProviderWithoutCredential[] = [],
): ProblemItem[] {
  const byProvider = Map.groupBy(
    endpoints.filter(({ status }) => status === 'unconfigured'),
    ({ provider_name }) => provider_name,
  )
  return [...byProvider].map(([provider, ofProvider]) => {
    const variables = withoutCredential.find(({ name }) => name === provider)?.variables ?? []
    const hint = variables.length > 0 ? ` The service looks for ${variables.join(' or ')} in its environment.` : ''
    return {
      id: `unconfigured ${provider}`,
      tone: 'warn' as const,
      title: `${provider} has no credential`,
      reason: `It serves ${ofProvider.map(({ model_id }) => model_id).join(', ')}.${hint}`,
      path: `/models/${ofProvider[0]!.model_id}`,
    }
  })
}

type ProviderWithoutCredential = Status['host']['providers_without_credential'][number]

/** Open circuits, one line for each endpoint: several processes can have the same. */
export function openCircuits(circuits: ShutCircuit[]): ProblemItem[] {
  const restricted = circuits.filter(({ state }) => state === 'open' || state === 'paused')
  return [...Map.groupBy(restricted, ({ endpoint }) => endpoint)].map(([endpoint, sameEndpoint]) => {
    const { state, reason, until } = sameEndpoint[0]!
    const words = [
      reason?.replaceAll('_', ' '),
      until && `until ${new Date(until).toLocaleTimeString('en-GB')}`,
      sameEndpoint.every(({ workspace_id }) => workspace_id !== null) && 'for a workspace’s own key',
      sameEndpoint.length > 1 && `in ${sameEndpoint.length} processes`,
    ]
    return {
      id: `circuit ${endpoint}`,
      tone: 'bad' as const,
      title: `${endpoint} is ${state === 'open' ? 'skipped: open circuit' : 'paused'}`,
      reason: words.filter(Boolean).join(', '),
      path: `/models/${endpoint.split('@')[0]}`,
    }
  })
}

/** Budgets and limits that are used up or nearly so, or that the forecast exceeds. */
export function exceededBudgets(budgets: Budget[]): ProblemItem[] {
  return budgets.flatMap((budget) => {
    const { forecast } = budget
    const { tone, text } = budgetStatus(budget)
    if (tone === 'ok') return []
    const reason = `${money(budget.spent)} of ${money(budget.limit)}${forecast !== null && tone === 'warn' ? `, forecast ${money(forecast)}` : ''}`
    return [{ id: budget.id, tone, title: `${budget.name}: ${text}`, reason, path: budget.path }]
  })
}

type FailedIntern = Pick<Intern, 'id' | 'name' | 'status' | 'last_failure_message'>

/** @param visible interns with a page. @param all those of the organization; the others have no page to link to. */
export function failedInterns(visible: FailedIntern[], all: FailedIntern[] = []): ProblemItem[] {
  const visibleIds = new Set(visible.map(({ id }) => id))
  const others = all.filter(({ id }) => !visibleIds.has(id))
  return [...visible, ...others].map(({ id, name, status, last_failure_message: message }) => ({
    id,
    tone: 'bad',
    title: `Intern ${name} ${status === 'failed' ? 'failed' : 'could not be removed'}`,
    reason: message ?? 'No reason was reported.',
    path: visibleIds.has(id) ? `/interns/${id}` : '/interns',
  }))
}

type ExpiringKey = Pick<Key, 'hash' | 'name' | 'workspace_id' | 'expires_at' | 'disabled'>

export function expiringKeys(keys: ExpiringKey[], now: number): ProblemItem[] {
  return keys.flatMap((key) => {
    const { hash, name, expires_at, disabled } = key
    const remainingMs = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - now
    if (disabled || remainingMs > expiryWarningMs || remainingMs < 0) return []
    const reason =
      remainingMs < dayMs ? 'in less than a day' : `in ${countText(Math.floor(remainingMs / dayMs), 'day')}`
    return [{ id: `key ${hash}`, tone: 'warn' as const, title: `Key ${name} expires`, reason, path: keyPath(key) }]
  })
}

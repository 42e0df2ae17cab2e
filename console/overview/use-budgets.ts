import { useEffect } from 'preact/hooks'
import { call, type Input } from '../api/client.ts'
import { canListKeys, canSeeAll } from '../api/key-access.ts'
import { useAllRows } from '../api/pages.ts'
import { useGet, useResource } from '../api/resource.ts'
import { currentSession, showsAllWorkspaces } from '../api/session.ts'
import type { Guardrail, Key, OrganizationBudget, Session, WorkspaceBudget } from '../api/types.ts'
import { keyPath } from '../components/text/key-path.ts'
import { dayMs } from '../format/time.ts'
import type { Budget } from './budgets.ts'
import { expiryWarningDays } from './problems/problems.ts'

/** The maximum number of keys in each list that `relevantKeys` combines. */
const maxKeys = 100

type OverviewKeys = {
  keys: Key[]
  /** The number of keys with a limit. */
  limitedCount: number
}

/**
 * The visible limits, and the keys of the overview: keys that use most of their limit, keys that expire soon, the newest keys, and the
 * key of the filter. `unlistedCount` is the number of keys with limits that are not among these keys.
 * @param refreshCount reloads the data when it changes.
 */
export function useBudgets(
  filteredHash: string | undefined,
  refreshCount: number,
): {
  budgets: Budget[]
  keys: Key[]
  unlistedCount: number
} {
  const session = currentSession()
  const overviewKeys = useResource(
    canListKeys(session) ? `keys of the overview ${filteredHash ?? ''}` : undefined,
    (signal) => relevantKeys(filteredHash, signal),
  )
  const guardrails = useAllRows('GET /guardrails', canSeeAll(session) ? { query: { limited: 'true' } } : undefined)
  const pooled = useResource(session && canSeeAll(session) ? 'pooled budgets' : undefined, (signal) =>
    pooledBudgets(session!, signal),
  )
  // A developer who signed in with an API key can read only that key.
  const currentKey = useGet('GET /key', session === undefined || canListKeys(session) ? undefined : {})
  useEffect(() => {
    if (refreshCount > 0) for (const { reload } of [overviewKeys, guardrails, pooled, currentKey]) reload()
  }, [refreshCount])
  const keys = overviewKeys.data?.keys ?? []
  const keyBudgets = [...keys, ...(currentKey.data ? [currentKey.data.data] : [])].flatMap(budgetsOfKey)
  return {
    budgets: [...(pooled.data ?? []), ...(guardrails.data ?? []).flatMap(guardrailBudgets), ...keyBudgets],
    keys,
    unlistedCount: Math.max(0, (overviewKeys.data?.limitedCount ?? 0) - keyBudgets.length),
  }
}

async function relevantKeys(filteredHash: string | undefined, signal: AbortSignal): Promise<OverviewKeys> {
  const list = (query: Input<'GET /keys'>['query']) =>
    call('GET /keys', { query: { limit: maxKeys, ...query } }, { signal })
  const [limited, ...others] = await Promise.all([
    list({ order: 'limit_used' }),
    list({ expires_before: new Date(Date.now() + expiryWarningDays * dayMs).toISOString() }),
    list({}),
    ...(filteredHash === undefined ? [] : [list({ hashes: filteredHash })]),
  ])
  const byHash = new Map([limited, ...others].flatMap(({ data }) => data).map((key) => [key.hash, key]))
  return { keys: [...byHash.values()].filter(({ disabled }) => !disabled), limitedCount: limited.total_count }
}

/** The maximum number of workspaces whose budgets are read, because each needs a request. */
const maxWorkspaces = 20

/** The budgets of the workspaces on the page, and of the organization if the session can read them. */
async function pooledBudgets(session: Session, signal: AbortSignal): Promise<Budget[]> {
  const { organization, organization_role, workspace, workspaces } = session
  const shownWorkspaces = showsAllWorkspaces(session) ? workspaces : [workspace]
  const ofOrganization = async () => {
    if (organization_role === 'developer') return []
    const { data } = await call('GET /organization/budgets', {}, { signal })
    return data.map(pooledBudget('organization', organization))
  }
  const ofWorkspace = async (one: { id: string; name: string }) => {
    const { data } = await call('GET /workspaces/{id}/budgets', { params: { id: one.id } }, { signal })
    return data.map(pooledBudget('workspace', one))
  }
  const lists = await Promise.all([ofOrganization(), ...shownWorkspaces.slice(0, maxWorkspaces).map(ofWorkspace)])
  return lists.flat()
}

type PooledBudget = WorkspaceBudget | OrganizationBudget

const pooledBudget =
  (kind: 'workspace' | 'organization', { id, name }: { id: string; name: string }) =>
  (budget: PooledBudget): Budget => ({
    id: budget.id,
    name,
    kind,
    limit: budget.limit_usd,
    spent: budget.spent_usd + budget.unconfirmed_usd,
    reserved: budget.held_usd,
    forecast: budget.forecast_usd,
    interval: budget.reset_interval,
    resetsAt: budget.resets_at,
    path: kind === 'workspace' ? `/keys/budgets?workspace_id=${id}` : '/keys/budgets',
  })

function guardrailBudgets({ id, name, limit_usd: limit, reset_interval: interval, ...usage }: Guardrail): Budget[] {
  if (limit === null) return []
  const { spent_usd = 0, unconfirmed_usd = 0, held_usd: reserved = 0 } = usage
  const { forecast_usd: forecast = null, resets_at: resetsAt = null } = usage
  const spent = spent_usd + unconfirmed_usd
  const usageFields = { limit, spent, reserved, forecast, interval, resetsAt }
  return [{ id, name, kind: 'guardrail', ...usageFields, path: `/guardrails/${id}` }]
}

type LimitedKey = Pick<
  Key,
  | 'hash'
  | 'name'
  | 'workspace_id'
  | 'limit'
  | 'limit_reset'
  | `limit_${'spent' | 'unconfirmed' | 'held' | 'forecast' | 'resets_at'}`
>

function budgetsOfKey(key: LimitedKey): Budget[] {
  const { hash, name, limit, limit_reset: interval } = key
  if (limit === null) return []
  const {
    limit_spent,
    limit_unconfirmed,
    limit_held: reserved,
    limit_forecast: forecast,
    limit_resets_at: resetsAt,
  } = key
  const usageFields = {
    limit,
    spent: (limit_spent ?? 0) + (limit_unconfirmed ?? 0),
    reserved: reserved ?? 0,
    forecast,
    interval,
    resetsAt,
  }
  return [{ id: hash, name, kind: 'key', ...usageFields, path: keyPath(key) }]
}

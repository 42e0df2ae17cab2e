import { call, type Input } from '../api/client.ts'
import { canListKeys, canSeeAll } from '../api/key-access.ts'
import { useAllRows } from '../api/pages.ts'
import { useGet, useResource } from '../api/resource.ts'
import { useSession } from '../api/session.ts'
import type { Guardrail, Key } from '../api/types.ts'
import { type Budget, keyPath } from './budgets.ts'
import { expiryWarningDays } from './problems.ts'

const dayMs = 86_400_000
/** The longest period of a limit that is reset. */
const periodDays = 31
const maxKeys = 100

/** The visible limits, and the keys of the overview: those that spent most, that expire soon, and the newest. */
export function useBudgets(): { budgets: Budget[]; keys: Key[] } {
  const me = useSession()
  const keys = useResource(canListKeys(me) ? 'keys of the overview' : undefined, relevantKeys).data ?? []
  const guardrails = useAllRows('GET /guardrails', canSeeAll(me) ? {} : undefined).data ?? []
  const own = useGet('GET /key', me === undefined || canListKeys(me) ? undefined : {}).data?.data
  return { budgets: [...guardrails.flatMap(ofGuardrail), ...[...keys, ...(own ? [own] : [])].flatMap(ofKey)], keys }
}

async function relevantKeys(signal: AbortSignal): Promise<Key[]> {
  const now = Date.now()
  const time = (days: number) => new Date(now + days * dayMs).toISOString()
  const body = {
    metrics: ['charged_usd' as const],
    dimensions: ['api_key_id' as const],
    order_by: { field: 'charged_usd' as const, direction: 'desc' as const },
    time_range: { start: time(-periodDays), end: time(1) },
    limit: maxKeys,
  }
  const list = (query: Input<'GET /keys'>['query']) =>
    call('GET /keys', { query: { limit: maxKeys, ...query } }, { signal })
  const others = [list({ expires_before: time(expiryWarningDays) }), list({})]
  const { data: spenders } = (await call('POST /analytics/query', { body }, { signal })).data
  const hashes = spenders.flatMap(({ ids }) => ids?.api_key_id ?? []).join()
  const lists = await Promise.all([...(hashes ? [list({ hashes })] : []), ...others])
  const byHash = new Map(lists.flatMap(({ data }) => data).map((key) => [key.hash, key]))
  return [...byHash.values()].filter(({ disabled }) => !disabled)
}

function ofGuardrail({ id, name, limit_usd: limit, reset_interval: interval, ...usage }: Guardrail): Budget[] {
  if (limit === null) return []
  const { spent_usd = 0, unconfirmed_usd = 0, held_usd: reserved = 0 } = usage
  const { forecast_usd: forecast = null, resets_at: resetsAt = null } = usage
  const spent = spent_usd + unconfirmed_usd
  const standing = { limit, spent, reserved, forecast, interval, resetsAt }
  return [{ id, name, kind: 'guardrail', ...standing, path: `/guardrails/${id}` }]
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

function ofKey(key: LimitedKey): Budget[] {
  const { hash, name, limit, limit_reset: interval } = key
  if (limit === null) return []
  const {
    limit_spent,
    limit_unconfirmed,
    limit_held: reserved,
    limit_forecast: forecast,
    limit_resets_at: resetsAt,
  } = key
  const standing = {
    limit,
    spent: (limit_spent ?? 0) + (limit_unconfirmed ?? 0),
    reserved: reserved ?? 0,
    forecast,
    interval,
    resetsAt,
  }
  return [{ id: hash, name, kind: 'key', ...standing, path: keyPath(key) }]
}

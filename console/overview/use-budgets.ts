import { canListKeys, canSeeAll, useAllKeys } from '../api/all-keys.ts'
import { useAllRows } from '../api/pages.ts'
import { useGet } from '../api/resource.ts'
import { useSession } from '../api/session.ts'
import type { Guardrail, Key } from '../api/types.ts'
import { type Budget, keyPath } from './budgets.ts'

/** All visible limits, and the keys. */
export function useBudgets(): { budgets: Budget[]; keys: Key[] } {
  const me = useSession()
  const keys = useAllKeys().data ?? []
  const guardrails = useAllRows('GET /guardrails', canSeeAll(me) ? {} : undefined).data ?? []
  const own = useGet('GET /key', me === undefined || canListKeys(me) ? undefined : {}).data?.data
  return { budgets: [...guardrails.flatMap(ofGuardrail), ...[...keys, ...(own ? [own] : [])].flatMap(ofKey)], keys }
}

function ofGuardrail({ id, name, limit_usd: limit, reset_interval: interval, ...usage }: Guardrail): Budget[] {
  if (limit === null) return []
  const { spent_usd = 0, unconfirmed_usd = 0, held_usd: held = 0 } = usage
  const { forecast_usd: forecast = null, resets_at: resetsAt = null } = usage
  const spent = spent_usd + unconfirmed_usd
  const standing = { limit, spent, held, forecast, interval, resetsAt }
  return [{ id, name, kind: 'guardrail', ...standing, path: `/guardrails/${id}` }]
}

type Limited = Pick<
  Key,
  | 'hash'
  | 'name'
  | 'workspace_id'
  | 'limit'
  | 'limit_reset'
  | `limit_${'spent' | 'unconfirmed' | 'held' | 'forecast' | 'resets_at'}`
>

function ofKey(key: Limited): Budget[] {
  const { hash, name, limit, limit_reset: interval } = key
  if (limit === null) return []
  const { limit_spent, limit_unconfirmed, limit_held: held, limit_forecast: forecast, limit_resets_at: resetsAt } = key
  const standing = {
    limit,
    spent: (limit_spent ?? 0) + (limit_unconfirmed ?? 0),
    held: held ?? 0,
    forecast,
    interval,
    resetsAt,
  }
  return [{ id: hash, name, kind: 'key', ...standing, path: keyPath(key) }]
}

import { seesAll, seesKeys, useEveryKey } from '../api/all-keys.ts'
import { useEvery } from '../api/pages.ts'
import { useGet } from '../api/resource.ts'
import { useMe } from '../api/session.ts'
import type { Guardrail, Key } from '../api/types.ts'
import { type Budget, keyPath } from './budgets.ts'

/** All limits that this session may see, and the keys. */
export function useBudgets(): { budgets: Budget[]; keys: Key[] } {
  const me = useMe()
  const keys = useEveryKey().data ?? []
  const guardrails = useEvery('GET /guardrails', seesAll(me) ? {} : undefined).data ?? []
  const own = useGet('GET /key', me === undefined || seesKeys(me) ? undefined : {}).data?.data
  return { budgets: [...guardrails.flatMap(ofGuardrail), ...[...keys, ...(own ? [own] : [])].flatMap(ofKey)], keys }
}

function ofGuardrail({ id, name, limit_usd: limit, reset_interval: interval, ...told }: Guardrail): Budget[] {
  if (limit === null) return []
  const { spent_usd: spent = 0, held_usd: held = 0, forecast_usd: forecast = null, resets_at: resetsAt = null } = told
  const standing = { limit, spent, held, forecast, interval, resetsAt }
  return [{ id, name, kind: 'guardrail', ...standing, path: `/guardrails/${id}` }]
}

type Limited = Pick<
  Key,
  'hash' | 'name' | 'workspace_id' | 'limit' | 'limit_reset' | `limit_${'spent' | 'held' | 'forecast' | 'resets_at'}`
>

function ofKey(key: Limited): Budget[] {
  const { hash, name, limit, limit_reset: interval } = key
  if (limit === null) return []
  const { limit_spent: spent, limit_held: held, limit_forecast: forecast, limit_resets_at: resetsAt } = key
  const standing = { limit, spent: spent ?? 0, held: held ?? 0, forecast, interval, resetsAt }
  return [{ id: hash, name, kind: 'key', ...standing, path: keyPath(key) }]
}

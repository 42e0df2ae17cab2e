import type { Key } from '../../api/types.ts'

type KeyState = { tone: 'bad' | 'warn'; label: string }

/** Why a key is rejected; undefined for a valid key. */
export function stateOf({
  disabled,
  expires_at,
  limit_remaining,
}: Pick<Key, 'disabled' | 'expires_at' | 'limit_remaining'>): KeyState | undefined {
  if (disabled) return { tone: 'bad', label: 'disabled' }
  if (expires_at && new Date(expires_at) <= new Date()) return { tone: 'bad', label: 'expired' }
  if (limit_remaining !== null && limit_remaining <= 0) return { tone: 'warn', label: 'limit used up' }
  return undefined
}

import { toPicoUsd } from '#platform/core/pico-usd.ts'
import type { Interval } from '#platform/core/vocabulary.ts'
import { accountId } from './account-id.ts'
import type { PersistentBudget } from './budget.ts'

/** The limit of one key. `usd` is its amount, `reset` the interval after which it resets. */
export function keyBudget(
  hash: string,
  { usd, reset, includesByok }: { usd: number; reset: Interval | null; includesByok: boolean },
): PersistentBudget {
  return {
    id: accountId.key(hash),
    subject: { kind: 'key', hash },
    limit: toPicoUsd(usd),
    interval: reset,
    includesByok,
  }
}

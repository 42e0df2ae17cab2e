import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Budget } from '#spend/budgets/budget.ts'
import { requireRemainingLimits } from './remaining-limits.ts'

const subject = { kind: 'key', hash: 'k' } as const
const limited = (limit: bigint, interval: Budget['interval'] = 'daily'): Budget => ({
  ...{ id: 'key:k', subject, limit, interval },
  includesByok: false,
})

/** The limits that are checked. None has room. */
async function checkedLimits(before: Budget[], now: Budget[]): Promise<bigint[]> {
  const limits: bigint[] = []
  const reserve = (budgets: readonly Budget[]) => {
    limits.push(budgets[0]!.limit)
    return Promise.resolve({ refusedBy: budgets[0]!, outcome: 'spent' as const })
  }
  await requireRemainingLimits({ reserve }, before, now, []).catch((error) =>
    assert.match(error.message, /^The spending limit/),
  )
  return limits
}

test('checks only limits that are new, lower or of another interval', async () => {
  const usd = 10n ** 12n
  assert.deepEqual(await checkedLimits([limited(2n * usd)], [limited(2n * usd)]), [])
  assert.deepEqual(await checkedLimits([limited(usd)], [limited(2n * usd)]), [])
  assert.deepEqual(await checkedLimits([limited(2n * usd)], [limited(usd)]), [usd])
  assert.deepEqual(await checkedLimits([limited(2n * usd)], [limited(2n * usd, 'monthly')]), [2n * usd])
  assert.deepEqual(await checkedLimits([], [limited(usd)]), [usd])
})

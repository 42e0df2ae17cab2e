import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Interval } from '#lib/vocabulary.ts'
import { caller } from '#test/harness/generations.ts'
import { guardrailWith } from '#test/harness/random-guardrails.ts'
import { budgetsFor, reserveBudgets } from './budget-reservation.ts'

const now = () => Date.UTC(2026, 10, 18, 12)
const full = { reserve: async ([refusedBy]: any) => ({ refusedBy, outcome: 'spent' }) }
const held = { reserve: async ([refusedBy]: any) => ({ refusedBy, outcome: 'reserved' }) }

async function refusalOf(reset: Interval | null, budgets: object = full) {
  const guardrail = guardrailWith('House', { limit_usd: 2, reset_interval: reset })
  const limits = budgetsFor(caller, [guardrail])
  return reserveBudgets({ budgets: budgets as never, now }, limits, [guardrail], 3n * 10n ** 12n).then(
    () => assert.fail('it was let through'),
    (fault) => fault,
  )
}

test('a request that a limit leaves no room for is told the limit, what it needs, and when the limit starts anew', async () => {
  const told = { guardrail_id: 'House', rule: 'limit_usd', limit_usd: 2, needed_usd: 3 }
  for (const [interval, resets_at] of [
    ['daily', '2026-11-19T00:00:00.000Z'],
    ['weekly', '2026-11-23T00:00:00.000Z'],
    ['monthly', '2026-12-01T00:00:00.000Z'],
    [null, null],
  ] as const) {
    const { kind, message, details } = await refusalOf(interval)
    assert.deepEqual([kind, details.metadata], ['forbidden', { ...told, resets_at }])
    assert.ok(message.includes(resets_at ? `It resets at ${resets_at}.` : 'It does not reset.'), message)
  }
})

test('where requests under way hold the room it is worth trying again', async () => {
  const { kind, details } = await refusalOf('daily', held)
  assert.deepEqual([kind, details.retryAfterSeconds], ['rate_limited', 1])
})

test('a key’s own limit is named as the key’s', async () => {
  const limited = { ...caller, spendLimit: { usd: 1, reset: 'daily' as const, includesByok: false } }
  const limits = budgetsFor(limited, [])
  const refused = reserveBudgets({ budgets: full as never, now }, limits, [], 1n)
  await assert.rejects(refused, ({ message, details }) => {
    assert.match(message, /^The spending limit of the key, 1 USD/)
    assert.deepEqual([details.metadata.rule, details.metadata.guardrail_id], ['limit', undefined])
    return true
  })
})

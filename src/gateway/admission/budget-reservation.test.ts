import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Interval } from '#platform/core/vocabulary.ts'
import { createGuardrailBudget } from '#policy/guardrails/decide/guardrail-budget.ts'
import { caller } from '#test/harness/records/generations.ts'
import { guardrailWith } from '#test/harness/records/random-guardrails.ts'
import { budgetsFor, reserveBudgets } from './budget-reservation.ts'

const now = () => Date.UTC(2026, 10, 18, 12)
const full = { reserve: async ([refusedBy]: any) => ({ refusedBy, outcome: 'spent' }) }
const held = { reserve: async ([refusedBy]: any) => ({ refusedBy, outcome: 'reserved' }) }

const pricedAt = (maxCost: bigint) => ({ request: {} as never, maxCost })

async function refusalOf(reset: Interval | null, budgets: object = full) {
  const guardrail = guardrailWith('House', { limit_usd: 2, reset_interval: reset })
  const limits = budgetsFor(caller, [
    createGuardrailBudget({ guardrail, isDefault: true }, { kind: 'member', userId: 'u' })!,
  ])
  const reservationLimits = { budgets: limits, guardrails: [guardrail] }
  return reserveBudgets({ budgets: budgets as never, now }, reservationLimits, pricedAt(3n * 10n ** 12n)).then(
    () => assert.fail('it was admitted'),
    (fault) => fault,
  )
}

test('a refusal names the limit, the needed amount and the reset time', async () => {
  const layer = 'workspace_default_member'
  const expected = { guardrail_id: 'House', rule: 'limit_usd', layer, limit_usd: 2, needed_usd: 3 }
  for (const [interval, resets_at] of [
    ['daily', '2026-11-19T00:00:00.000Z'],
    ['weekly', '2026-11-23T00:00:00.000Z'],
    ['monthly', '2026-12-01T00:00:00.000Z'],
    [null, null],
  ] as const) {
    const { kind, message, details } = await refusalOf(interval)
    assert.deepEqual([kind, details.metadata], ['forbidden', { ...expected, resets_at }])
    assert.ok(message.includes(resets_at ? `It resets at ${resets_at}.` : 'It does not reset.'), message)
  }
})

test('a limit reserved by requests in flight asks the client to retry', async () => {
  const { kind, details } = await refusalOf('daily', held)
  assert.deepEqual([kind, details.retryAfterSeconds], ['rate_limited', 1])
})

test('the limit of a key is named as such', async () => {
  const limited = { ...caller, spendLimit: { usd: 1, reset: 'daily' as const, includesByok: false } }
  const limits = budgetsFor(limited, [])
  const refused = reserveBudgets({ budgets: full as never, now }, { budgets: limits, guardrails: [] }, pricedAt(1n))
  await assert.rejects(refused, ({ message, details }) => {
    assert.match(message, /^The spending limit of the key, 1 USD/)
    assert.deepEqual([details.metadata.rule, details.metadata.guardrail_id], ['limit', undefined])
    return true
  })
})

test('a small turn budget selects the longest response that fits', async () => {
  const usd = (amount: number) => BigInt(amount * 1e12)
  const turn = { kind: 'turn' as const, id: 't', keyHash: 'k', startedAt: 0, part: 'max_cost_usd' as const }
  const budget = { id: 'turn:t', subject: turn, limit: usd(1), interval: null, includesByok: true }
  const shorter = [4, 2, 0.5, 0.25].map((cost) => pricedAt(usd(cost)))
  const refused: bigint[] = []
  const turns = { budgets: [budget], onRefusal: async (_: unknown, need: bigint) => void refused.push(need) }
  const limits = { budgets: [budget], guardrails: [], turns }
  const reserveIn = (room: number, outcome: string, refusedBy: object = budget) => {
    const reserve = async (_: unknown, need: bigint) =>
      need <= usd(room) ? { reservation: { need } } : { refusedBy, outcome }
    return reserveBudgets({ budgets: { reserve } as never, now }, limits, pricedAt(usd(8)), shorter)
  }
  const { reservation, covered } = await reserveIn(1, 'spent')
  assert.deepEqual([(reservation as never as { need: bigint }).need, covered.maxCost], [usd(0.5), usd(0.5)])
  assert.equal((await reserveIn(9, 'spent')).covered.maxCost, usd(8))
  // Nothing fits: the error has the cost of the shortest response.
  await assert.rejects(reserveIn(0.1, 'spent'), ({ details }: any) => details.metadata.needed_usd === 0.25)
  assert.deepEqual(refused, [usd(0.25)])
  // Requests in flight release unused money. A limit of a key does not shorten responses.
  await assert.rejects(reserveIn(1, 'reserved'), { kind: 'rate_limited' })
  await assert.rejects(reserveIn(1, 'cut_off'), { kind: 'rate_limited', message: /a server that stopped reporting/ })
  const key = { ...budget, subject: { kind: 'key', hash: 'k' } }
  await assert.rejects(reserveIn(1, 'spent', key), ({ details }: any) => details.metadata.needed_usd === 8)
})

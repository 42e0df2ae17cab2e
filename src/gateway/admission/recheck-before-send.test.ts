import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#platform/core/fault.ts'
import { emptyPolicy, type Policy as Rules } from '#policy/guardrails/decide/policy.ts'
import { endpointOf } from '#test/harness/candidates.ts'
import { caller } from '#test/harness/generations.ts'
import { guardrailPolicy } from './guardrail-policy.ts'
import type { JudgeAgainQuestion } from './policy.ts'

const model = { id: 'a/m', canonicalSlug: 'a/m', author: 'a' }
const target = { model, endpoint: endpointOf('p', { zeroDataRetention: true } as never) }
const guardrail = (rules: Partial<Rules>) => ({ id: 'g', name: 'G', policy: { ...emptyPolicy, ...rules } })

/** What becomes of a request that was decided on without guardrails, by what holds before an endpoint is asked. */
function before(now: unknown, retainsNothing = false) {
  const config = { zdr_vendors: { a: {}, b: {}, c: {}, d: {} }, regions: {} }
  const guardrailCache = { of: () => now }
  const policy = guardrailPolicy({ guardrailCache, config, budgets: {} } as never)
  const sent = { chat: { messages: [] }, body: {} }
  const decision = { guardrails: decided, limits: [], retainsNothing }
  return policy.judgeAgain({ caller, decision, sent, target, isByok: () => false } as unknown as JudgeAgainQuestion)
}
const decided: never[] = []

test('where no rule has changed nothing is waited for', () => assert.equal(before(decided), undefined))

test('what a rule has come to forbid is refused by its name', async () => {
  for (const [rules, rule] of [
    [{ ignored_models: ['a/m'] }, 'ignored_models'],
    [{ allowed_providers: ['q'] }, 'allowed_providers'],
    [{ allowed_data_regions: ['europe'] }, 'allowed_data_regions'],
  ] as [Partial<Rules>, string][]) {
    const refused = await Promise.resolve(before([guardrail(rules)])).catch((error) => error)
    assert.deepEqual([refused.kind, refused.details.metadata.rule], ['forbidden', rule])
  }
})

test('what would have to be sent without storage from now on is to be asked again', async () => {
  const zdr = [guardrail({ enforce_zdr_other: true })]
  await assert.rejects(async () => before(zdr), { kind: 'unavailable', message: /Send it again/ })
  await before(zdr, true)
})

test('while nobody can tell what holds, what was decided goes on', async () => {
  await before(Promise.reject(new Fault('unavailable', 'away')))
  await assert.rejects(async () => before(Promise.reject(new Error('broken'))), { message: 'broken' })
})

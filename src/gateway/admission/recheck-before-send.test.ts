import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#platform/core/fault.ts'
import { emptyPolicy, type Policy as Rules } from '#policy/guardrails/decide/policy.ts'
import { caller } from '#test/harness/records/generations.ts'
import { endpointOf } from '#test/harness/upstream/endpoints/candidates.ts'
import { createGuardrailPolicy } from './guardrail-policy.ts'
import type { BeforeSendInput } from './policy.ts'

const model = { id: 'a/m', canonicalSlug: 'a/m', author: 'a' }
const target = { model, endpoint: endpointOf('p', { zeroDataRetention: true } as never) }
const guardrail = (rules: Partial<Rules>) => ({ id: 'g', name: 'G', policy: { ...emptyPolicy, ...rules } })

/** Rechecks a request that was admitted without guardrails. @param current the guardrails that apply now. */
function recheck(current: unknown, isStorageForbidden = false) {
  const config = { zdr_vendors: { a: {}, b: {}, c: {}, d: {} }, regions: {} }
  const guardrailCache = {
    policiesOf: async () => ({ guardrails: (await current) as object[], budgets: [], groupLimits: [] }),
  }
  const policy = createGuardrailPolicy({ guardrailCache, config, budgets: {} } as never)
  const request = { chat: { messages: [] }, body: {} }
  const decision = { guardrails: decided, spending: { budgets: [] }, isStorageForbidden }
  const access = { isByok: () => false }
  return policy.recheckBeforeSend({ caller, decision, request, target, access } as unknown as BeforeSendInput)
}
const decided: never[] = []

test('unchanged guardrails are not applied again', async () => assert.equal(await recheck(decided), undefined))

test('a changed guardrail refuses the request with its rule', async () => {
  for (const [rules, rule] of [
    [{ ignored_models: ['a/m'] }, 'ignored_models'],
    [{ allowed_providers: ['q'] }, 'allowed_providers'],
    [{ allowed_data_regions: ['europe'] }, 'allowed_data_regions'],
  ] as [Partial<Rules>, string][]) {
    const refused = await recheck([guardrail(rules)])
    assert.deepEqual([refused?.kind, refused?.details.metadata?.rule], ['forbidden', rule])
  }
})

test('a changed guardrail that forbids storage asks the client to repeat', async () => {
  const zdr = [guardrail({ enforce_zdr_other: true })]
  const refused = await recheck(zdr)
  assert.equal(refused?.kind, 'unavailable')
  assert.match(refused.message, /Send it again/)
  assert.equal(await recheck(zdr, true), undefined)
})

test('an unreachable database leaves the earlier decision in force', async () => {
  assert.equal(await recheck(Promise.reject(new Fault('unavailable', 'away'))), undefined)
  await assert.rejects(async () => recheck(Promise.reject(new Error('broken'))), { message: 'broken' })
})

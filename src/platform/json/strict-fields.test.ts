import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from './schema.ts'
import { nearestName, strictFields } from './strict-fields.ts'

const key = ['name', 'kind', 'limit', 'limit_reset', 'include_byok_in_limit', 'expires_at', 'workspace_id']
const guardrail = ['name', 'description', 'limit_usd', 'reset_interval', 'include_byok_in_budgets', 'allowed_models']

for (const [wrong, names, expected] of [
  ['limit_usd', key, 'limit'],
  ['Limit', key, 'limit'],
  ['limitReset', key, 'limit_reset'],
  ['limt', key, 'limit'],
  ['nmae', key, 'name'],
  ['monthly_limit', key, 'limit'],
  ['expiresat', key, 'expires_at'],
  ['expiry', key, undefined],
  ['colour', key, undefined],
  ['limit', guardrail, 'limit_usd'],
  ['interval', guardrail, 'reset_interval'],
  ['allowed_model', guardrail, 'allowed_models'],
  ['budget', guardrail, undefined],
  ['', guardrail, undefined],
] as const)
  test(`"${wrong}" ${expected ? `was meant to be "${expected}"` : 'is like no other'}`, () => {
    assert.equal(nearestName(wrong, [...names]), expected)
  })

test('an unknown field is reported with the accepted fields, also of derived schemas', () => {
  const schema = strictFields({ name: z.string() }).extend({ limit: z.number() }).partial()
  const result = schema.safeParse({ limits: 1 }).error?.issues[0]?.message
  assert.equal(result, 'unknown field "limits" (did you mean "limit"?); it takes name, limit')
  const ofNone = strictFields({}).safeParse({ x: 1 }).error?.issues[0]?.message
  assert.equal(ofNone, 'unknown field "x"; it takes no fields')
})

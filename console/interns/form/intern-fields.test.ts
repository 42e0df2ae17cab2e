import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Intern } from '../../api/types.ts'
import { emptyIntern, fieldsOf, parseFields, patchOf } from './intern-fields.ts'

const intern = {
  name: 'ada',
  description: null,
  model: null,
  approval_mode: 'manual',
  visibility: 'workspace',
  instructions: 'Be brief.',
  budget: { max_cost_usd: 0.5 },
} as Intern

test('a new intern has the chosen mode, and a budget only with limits', () => {
  const named = { ...emptyIntern, name: ' bob ', mode: 'self-drive' as const }
  const { name, approval_mode, budget, visibility } = parseFields(named)
  assert.deepEqual([name, approval_mode, budget, visibility], ['bob', 'self-drive', null, 'creator'])
  assert.throws(() => parseFields({ ...named, mode: '' }), /Choose an approval mode/)
})

test('only changed fields are sent, the budget as a whole', () => {
  const before = fieldsOf(intern)
  assert.deepEqual(patchOf(before, before), {})
  const limits = { ...before.limits, session_max_turns: '20' }
  assert.deepEqual(patchOf(before, { ...before, model: 'a/b', limits }), {
    model: 'a/b',
    budget: { max_cost_usd: 0.5, session_max_turns: 20 },
  })
  assert.deepEqual(patchOf(before, { ...before, limits: emptyIntern.limits }), { budget: null })
})

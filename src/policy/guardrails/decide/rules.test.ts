import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { GuardrailPatch } from '../guardrail-patch.ts'
import { emptyPolicy, Policy } from './policy.ts'
import { rules } from './rules.ts'

const fields = Object.keys(rules).sort()

test('stored, accepted and evaluated fields are the same', () => {
  assert.deepEqual(Object.keys(Policy.shape).sort(), fields)
  assert.deepEqual(Object.keys(emptyPolicy).sort(), fields)
  const texts = Object.keys(GuardrailPatch.shape).filter((field) => !['name', 'description'].includes(field))
  assert.deepEqual(texts.sort(), fields)
})

test('the document names every field of a guardrail', () => {
  const guide = readFileSync(fileURLToPath(new URL('../../../../docs/guardrails.md', import.meta.url)), 'utf8')
  assert.deepEqual(
    fields.filter((field) => !guide.includes(field)),
    [],
  )
})

test('the scan scope of a builtin filter is stored as given', () => {
  const builtin = { slug: 'email', action: 'redact', label: '[EMAIL]', scan_scope: 'all_messages' }
  assert.deepEqual(Policy.shape.content_filter_builtins.parse([builtin]), [builtin])
})

test('every field names the stage of its rule', () => {
  assert.deepEqual(
    Object.entries(rules).filter(([, kind]) => typeof kind.stage !== 'string'),
    [],
  )
})

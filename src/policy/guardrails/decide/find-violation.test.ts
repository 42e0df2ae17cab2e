import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Settings } from '#platform/config/settings.ts'
import type { GuardrailRecord } from '../guardrail.ts'
import { findEndpointViolation, findModelViolation, findRegionViolation } from './find-violation.ts'
import { emptyPolicy, type Policy } from './policy.ts'

const vendors = Settings.parse({}).zdr_vendors
const guardrail = (name: string, policy: Partial<Policy>): GuardrailRecord => ({
  id: name,
  workspaceId: 'w',
  name,
  description: null,
  policy: { ...emptyPolicy, ...policy },
  createdAt: 0,
  updatedAt: 0,
})
const model = { canonicalSlug: 'anthropic/claude-1', author: 'anthropic' }
const endpoint = {
  provider: 'p',
  prices: { prompt: '0.000001', completion: '0.000001' },
  zeroDataRetention: false,
  trainsOnData: false,
  publishesPrompts: false,
}
const ruleFor = (policies: Partial<Policy>[], more: Partial<typeof endpoint> = {}, of = model) =>
  findEndpointViolation(
    policies.map((policy, i) => guardrail(`g${i}`, policy)),
    of,
    { ...endpoint, ...more },
    vendors,
  )?.rule

test('allowed models of several guardrails intersect, and the forbidding one is named', () => {
  const both = [
    guardrail('a', { allowed_models: ['anthropic/claude-1', 'x/y'] }),
    guardrail('b', { allowed_models: ['x/y'] }),
  ]
  const verdict = findModelViolation(both, model)
  assert.deepEqual([verdict?.guardrail.name, verdict?.rule], ['b', 'allowed_models'])
  assert.equal(findModelViolation(both, { ...model, canonicalSlug: 'x/y' }), undefined)
})

test('ignored models and providers of several guardrails unite', () => {
  assert.equal(
    findModelViolation([guardrail('a', {}), guardrail('b', { ignored_models: ['anthropic/claude-1'] })], model)?.rule,
    'ignored_models',
  )
  assert.equal(ruleFor([{ ignored_providers: ['q'] }, { ignored_providers: ['p'] }]), 'ignored_providers')
  assert.equal(ruleFor([{ allowed_providers: ['q'] }]), 'allowed_providers')
})

test('a region is allowed only if every list contains it', () => {
  const both = [
    guardrail('a', { allowed_data_regions: ['europe', 'us'] }),
    guardrail('b', { allowed_data_regions: ['us', 'global'] }),
  ]
  assert.equal(findRegionViolation(both, 'us'), undefined)
  assert.equal(findRegionViolation(both, 'europe')?.guardrail.name, 'b')
  assert.equal(findRegionViolation(both, 'global')?.guardrail.name, 'a')
})

test('zero data retention is required per vendor, with `enforce_zdr` as the default', () => {
  assert.equal(ruleFor([{ enforce_zdr_vendor_a: true }]), 'enforce_zdr_vendor_a')
  assert.equal(ruleFor([{ enforce_zdr_vendor_a: true }], { zeroDataRetention: true }), undefined)
  assert.equal(ruleFor([{ enforce_zdr_vendor_b: true, enforce_zdr_other: true }]), undefined)
  assert.equal(ruleFor([{ enforce_zdr_other: true }], {}, { canonicalSlug: 'x/y', author: 'x' }), 'enforce_zdr_other')
  assert.equal(ruleFor([{ enforce_zdr: true }]), 'enforce_zdr_vendor_a')
  assert.equal(ruleFor([{ enforce_zdr: true, enforce_zdr_vendor_a: false }]), undefined)
})

test('a false flag excludes endpoints that train or publish, free and paid separately', () => {
  const free = { prices: { prompt: '0', completion: '0' } }
  assert.equal(ruleFor([{ enable_paid_model_training: false }], { trainsOnData: true }), 'enable_paid_model_training')
  assert.equal(ruleFor([{ enable_paid_model_training: false }], { trainsOnData: true, ...free }), undefined)
  assert.equal(
    ruleFor([{ enable_free_model_training: false }], { trainsOnData: true, ...free }),
    'enable_free_model_training',
  )
  assert.equal(
    ruleFor([{ enable_free_model_publication: false }], { publishesPrompts: true, ...free }),
    'enable_free_model_publication',
  )
  assert.equal(ruleFor([{ enable_free_model_publication: true }], { publishesPrompts: true, ...free }), undefined)
})

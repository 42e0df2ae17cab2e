import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Settings } from '#platform/config/settings.ts'
import { emptyPolicy } from './policy.ts'
import { readZdrFields, vendorFieldsOf } from './zdr.ts'

const vendors = Settings.parse({}).zdr_vendors
const decide = (body: Record<string, unknown>) => {
  const { value: fields, problems } = readZdrFields(vendors, body)
  return { fields, problems }
}

test('enforce_zdr is copied into each vendor field that the request does not name', () => {
  const { fields: copied } = decide({ enforce_zdr: true, enforce_zdr_vendor_b: false, enforce_zdr_openai: null })
  assert.deepEqual(copied, {
    enforce_zdr_vendor_a: true,
    enforce_zdr_vendor_b: false,
    enforce_zdr_vendor_c: null,
    enforce_zdr_vendor_d: true,
    enforce_zdr_other: true,
  })
})

test('a null enforce_zdr is a value and is copied as well', () => {
  assert.deepEqual(Object.values(decide({ enforce_zdr: null }).fields), [null, null, null, null, null])
})

test('without enforce_zdr a field that is not named is not touched', () => {
  assert.deepEqual(decide({ enforce_zdr_xai: true, enforce_zdr_other: false }).fields, {
    enforce_zdr_vendor_d: true,
    enforce_zdr_other: false,
  })
})

test('two names of one field may agree and must not contradict each other', () => {
  assert.deepEqual(decide({ enforce_zdr_vendor_a: true, enforce_zdr_anthropic: true }).problems, [])
  for (const [byLetter, byName] of [
    [true, false],
    [null, false],
    [true, null],
  ]) {
    const { problems } = decide({ enforce_zdr_vendor_a: byLetter, enforce_zdr_anthropic: byName })
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['enforce_zdr_anthropic'],
    )
  }
})

test('a field of an unknown vendor is refused with the known fields', () => {
  const { problems } = decide({ enforce_zdr_antropic: true, enforce_zdr: null, enforce_zdr_vendor_b: true })
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['enforce_zdr_antropic'],
  )
  assert.match(problems[0]?.message ?? '', /enforce_zdr_anthropic/)
})

test('the vendors’ own names follow the settings', () => {
  const other = { ...vendors, a: { author: 'mistralai', suffix: 'mistral' } }
  assert.deepEqual(readZdrFields(other, { enforce_zdr_mistral: true, enforce_zdr_anthropic: false }).value, {
    enforce_zdr_vendor_a: true,
  })
  assert.deepEqual(vendorFieldsOf(other, { ...emptyPolicy, enforce_zdr_vendor_a: true }), {
    enforce_zdr_mistral: true,
    enforce_zdr_google: null,
    enforce_zdr_openai: null,
    enforce_zdr_xai: null,
  })
})

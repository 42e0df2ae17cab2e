import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/min'
import { isInternationalNumber } from './number-plans.ts'

const examples: Record<CountryCode, string> = createRequire(import.meta.url)('libphonenumber-js/mobile/examples')

test("each country's example number matches its plan, with a correct country code", () => {
  const numbers = Object.entries(examples).map(([country, national]) => [
    getCountryCallingCode(country as CountryCode),
    national,
  ])
  assert.ok(numbers.length > 200)
  assert.deepEqual(
    numbers.filter(([code, national]) => !isInternationalNumber(`${code}${national}`)),
    [],
  )
  assert.ok(!isInternationalNumber(`999${examples.DE}`))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostOf } from './webhook-fields.ts'

test('hostOf returns a text to type also for an email address', () => {
  assert.equal(hostOf('https://hooks.example.com:8443/x'), 'hooks.example.com:8443')
  assert.equal(hostOf('mailto:ops@example.com'), 'mailto:ops@example.com')
})

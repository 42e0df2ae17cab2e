import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toHostName } from './host-name.ts'

test('toHostName removes the port, but no group of an IPv6 address', () => {
  const hosts = {
    'API.example:8080': 'api.example',
    '[::1]:80': '[::1]',
    '[::1]': '[::1]',
    '::1': '::1',
    '2001:DB8::443': '2001:db8::443',
  }
  for (const [host, name] of Object.entries(hosts)) assert.equal(toHostName(host), name)
})

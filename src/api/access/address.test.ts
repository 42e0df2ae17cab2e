import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireFreePorts } from './address.ts'

test('two settings with the same port are reported, except for any free port', async () => {
  const host = '127.0.0.1'
  await assert.rejects(
    requireFreePorts({ PORT: { host, port: 18_999 }, METRICS_PORT: { host, port: 18_999 } }),
    /^UserFacingError: PORT and METRICS_PORT are both 18999\. Set METRICS_PORT to another port\.$/,
  )
  await requireFreePorts({ PORT: { host, port: 0 }, METRICS_PORT: { host, port: 0 } })
})

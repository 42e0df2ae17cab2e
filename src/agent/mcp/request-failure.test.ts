import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client'
import { findRequestFailure } from './request-failure.ts'
import { toServerSpec } from './server-spec.ts'

const token = 'tr-7Qd2vTn9Lk4xWm8s'
const headers = [{ name: 'x-token', value: token }]
const spec = toServerSpec({ type: 'http', name: 'tracker', url: 'https://tracker.example/mcp', headers })
const request = { spec, connection: { client: {}, exitReason: () => undefined } as never, outcome: '' }

test('a credential at the end of a shortened error text is hidden', async () => {
  const text = `${'x'.repeat(290)}${token}`
  for (const error of [
    new ProtocolError(-32603, 'failed', text),
    new SdkHttpError('CLIENT_HTTP_NOT_IMPLEMENTED' as never, 'failed', { status: 500, text }),
  ]) {
    const failure = await findRequestFailure(error, request)
    assert.match(failure.error.message, /x{290}/)
    assert.ok(!failure.error.message.includes(token.slice(0, 4)), failure.error.message)
  }
})

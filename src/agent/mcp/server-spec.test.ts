import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactSecrets, toServerSpec } from './server-spec.ts'

test('redactSecrets removes user, query and tokens of the URL in every encoding', () => {
  const token = 'a1b2c3d4e5f6a7b8c9d0'
  const url = `https://ada:pass%2Fw%22ord@tools.example/mcp/${token}?key=x%2Fy%20z-123`
  const headers = [{ name: 'authorization', value: 'Bearer s3cret/token' }]
  const spec = toServerSpec({ name: 'tools', type: 'http', url, headers })
  const redacted = redactSecrets(
    spec,
    `${url} pass/w"ord ${JSON.stringify('pass/w"ord')} ${token} x/y z-123 s3cret%2Ftoken s3cret/token`,
  )
  assert.equal(
    redacted,
    'https://********@tools.example/mcp/********?******** ******** "********" ******** ******** ******** ********',
  )
})

test('redactSecrets leaves a URL without credentials as it is', () => {
  const url = 'https://tools.example/v1/mcp'
  const spec = toServerSpec({ name: 'tools', type: 'http', url, headers: [] })
  assert.equal(redactSecrets(spec, `${url} failed`), `${url} failed`)
})

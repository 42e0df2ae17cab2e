import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findServerSecrets, redactSecrets } from './log-secrets.ts'

test('values, header words and queries of MCP servers are masked, also in JSON form', () => {
  const secrets = findServerSecrets([
    { name: 'a', type: 'stdio', command: 'x', args: [], env: { TOKEN: 'tr-"7Qd2' }, timeout_seconds: 1 },
    {
      name: 'b',
      type: 'http',
      url: 'https://tools.example/mcp?code=hidden1',
      timeout_seconds: 1,
      headers: { authorization: 'Basic dXNlcjpw' },
    },
  ])
  const text = `no tr-"7Qd2, ${JSON.stringify({ why: 'tr-"7Qd2' })}, dXNlcjpw at https://tools.example/mcp?code=hidden1`
  const masked = 'no [secret], {"why":"[secret]"}, [secret] at https://tools.example/mcp?[secret]'
  assert.equal(redactSecrets(text, secrets), masked)
})

test('the longest of several secrets is masked, and common words are not secrets', () => {
  assert.equal(redactSecrets('secret-long', ['secret', 'secret-long']), '[secret]')
  assert.equal(redactSecrets('a 1 b', ['', '1', 'a']), 'a 1 b')
})

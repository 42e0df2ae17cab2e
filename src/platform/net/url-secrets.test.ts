import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUrlSecrets } from './url-secrets.ts'

test('findUrlSecrets returns user, query and tokens of the path, written and decoded', () => {
  const secrets = findUrlSecrets('https://ada:p%40ss@tools.example/mcp/a1b2c3d4e5f6a7b8c9d0/v1/%zz?key=x%2Fy+z&empty=')
  const expected = ['p%40ss', 'p@ss', 'ada:p%40ss', 'ada:p@ss', 'a1b2c3d4e5f6a7b8c9d0', 'x%2Fy+z', 'x/y z']
  assert.deepEqual(new Set(secrets), new Set([...expected, 'key=x%2Fy+z&empty=']))
  assert.deepEqual(findUrlSecrets('https://token@tools.example/a-path-with-only-words'), ['token'])
  assert.deepEqual(findUrlSecrets('https://tools.example/mcp'), [])
  assert.deepEqual(findUrlSecrets('not a URL'), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare, parts } from './generated-docs.ts'

for (const part of parts) {
  test(`${part.file} matches the code of ${part.name}: "npm run docs" writes it`, () => {
    const { is, expected: wanted } = compare(part)
    assert.ok(is === wanted, `${part.file} is stale: run "npm run docs"`)
  })
}

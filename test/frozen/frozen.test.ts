import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { collectNames, type FrozenNames } from './collect.ts'

const frozen = JSON.parse(readFileSync(new URL('names.json', import.meta.url), 'utf8')) as FrozenNames
const names = await collectNames()

for (const [kind, list] of Object.entries(frozen)) {
  test(`frozen names, ${kind}: all are still in use`, () => {
    const current = new Set(names[kind])
    assert.deepEqual(
      list.filter((name) => !current.has(name)),
      [],
    )
  })
}

test('frozen names: every kind that is collected has a list', () => {
  assert.deepEqual(Object.keys(frozen).sort(), Object.keys(names).sort())
})

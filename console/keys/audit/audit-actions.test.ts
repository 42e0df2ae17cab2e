import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { describeAction, knownActions, targetKinds } from './audit-actions.ts'

const sources = fileURLToPath(new URL('../../../src', import.meta.url))

test('knownActions has every action in the sources', () => {
  const texts = globSync('**/*.ts', { cwd: sources })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(`${sources}/${file}`, 'utf8'))
  const written = new Set(texts.flatMap((text) => [...text.matchAll(/action: '(\w+\.\w+)'/g)].map(([, name]) => name!)))
  assert.ok(written.size > 15)
  assert.deepEqual(
    [...written].filter((name) => !knownActions.includes(name)),
    [],
  )
})

test('targetKinds names each kind once', () => {
  const values = targetKinds.map(({ value }) => value)
  assert.deepEqual(
    ['credential', 'generation', 'guardrail', 'key'].map(
      (kind) => targetKinds.find(({ value }) => value === kind)?.label,
    ),
    ['provider key', 'request', 'guardrail', 'key'],
  )
  assert.equal(new Set(values).size, values.length)
})

test('describeAction falls back to the name of unknown actions', () => {
  assert.equal(describeAction('key.updated'), 'updated a key')
  assert.equal(describeAction('robot.taken_apart'), 'robot: taken apart')
})

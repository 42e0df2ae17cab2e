import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tools } from '#agent/tools/tools.ts'
import { chatClientProtocols } from '#gateway/clients/client-protocols.ts'
import { protocols } from '#platform/core/vocabulary.ts'
import { emptyPolicy } from '#policy/guardrails/decide/policy.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(`${root}/${file}`, 'utf8'))
    .join('\n')
const docs = read('{README.md,docs/*.md}')
const missingIn = (text: string, names: readonly string[]) => names.filter((name) => !text.includes(name))

test('every metric is named in the documents', () => {
  const names = [...new Set(read('src/**/*.ts').match(/(?<=')signalbox_[a-z_]+(?=')/g))]
  assert.ok(names.length > 20)
  assert.deepEqual(missingIn(docs, names), [])
})

test('every tool of the builtin agent is named in its document', () => {
  assert.deepEqual(
    missingIn(
      read('docs/agents.md'),
      tools.map(({ name }) => `\`${name}\``),
    ),
    [],
  )
})

test('the documentation names every provider protocol and every client path', () => {
  const names = [
    ...protocols.map((name) => `\n| \`${name}\` |`),
    ...chatClientProtocols.map(({ operation }) => `\`POST ${operation.path}\``),
  ]
  assert.deepEqual(missingIn(read('docs/providers.md'), names), [])
})

test('every rule of guardrails is named in its document', () => {
  // The names of vendors are settings: the page has those of one vendor.
  const rules = Object.keys(emptyPolicy).filter((rule) => !/_vendor_[b-d]$/.test(rule))
  assert.deepEqual(
    missingIn(
      read('docs/guardrails.md'),
      rules.map((rule) => `\`${rule}`),
    ),
    [],
  )
})

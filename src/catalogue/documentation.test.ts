import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readCatalogueFile } from './sources/format/format.ts'
import { mergeLayers } from './sources/merge/merge.ts'

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const [example = ''] = read('../../docs/catalogue.md').match(/(?<=^```yaml\n).*?(?=^```$)/ms) ?? []

function merged() {
  const starter = readCatalogueFile(read('./sources/starter.json'), 'starter')
  return mergeLayers([starter, readCatalogueFile(example, 'example')])
}

test('every row of the example file in docs/catalogue.md is valid', () => {
  assert.deepEqual(readCatalogueFile(example, 'example').skipped, [])
  assert.deepEqual(merged().skipped, [])
})

test('the example changes the starter catalogue as documented', () => {
  const { models, providers } = merged().data
  const model = models.find(({ aliases }) => aliases.includes('house-default'))
  assert.deepEqual(
    model?.endpoints.map(({ tag, prices, zeroDataRetention }) => [tag, prices.prompt, zeroDataRetention]),
    [
      ['deepinfra', '0.0000001', true],
      ['groq', '0.00000015', false],
      ['togetherai', '0.00000015', false],
      ['basement/fp4', '0', true],
    ],
  )
  assert.ok(!models.some(({ endpoints }) => endpoints.some(({ provider }) => provider === 'fireworks-ai')))
  assert.ok(!providers.some(({ slug }) => slug === 'fireworks-ai'))
  const contracts = models.find(({ id }) => id === 'our-house/contracts')
  assert.deepEqual(
    [contracts?.canonicalSlug, contracts?.endpoints[0]?.prices.request],
    ['our-house/contracts-2026-03-01', '0.001'],
  )
})

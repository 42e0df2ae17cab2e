import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BuiltinSlug } from '#filters/builtins.ts'
import { corpus } from './filter-corpus/corpus.ts'
import { measure, precision, recall } from './filter-corpus/figures.ts'

/** No filter may become worse than this. */
const floors: Record<BuiltinSlug, [precision: number, recall: number]> = {
  email: [0.99, 0.95],
  phone: [0.96, 0.95],
  ssn: [0.99, 0.99],
  'credit-card': [0.99, 0.99],
  'ip-address': [0.99, 0.99],
  secrets: [0.99, 0.95],
  'person-name': [0.95, 0.8],
  address: [0.95, 0.9],
  'regex-prompt-injection': [0.99, 0.85],
}

test('the corpus has at least 300 sentences, no two alike, a quarter of them with nothing to find', () => {
  const sentences = corpus()
  assert.ok(sentences.length >= 300)
  assert.ok(new Set(sentences.map(({ text }) => text)).size > sentences.length - 5)
  assert.ok(sentences.filter(({ slug }) => !slug).length > sentences.length / 4)
})

for (const figures of measure()) {
  test(`${figures.slug} finds as much as it is said to, and as little else`, () => {
    const [precise, complete] = floors[figures.slug]
    assert.ok(precision(figures) >= precise, `precision ${precision(figures)}: ${figures.misses.join(' | ')}`)
    assert.ok(recall(figures) >= complete, `recall ${recall(figures)}: ${figures.misses.join(' | ')}`)
  })
}

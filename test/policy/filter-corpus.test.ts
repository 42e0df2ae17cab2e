import assert from 'node:assert/strict'
import { test } from 'node:test'
import { corpus } from '../filter-corpus/corpus.ts'
import { measure, measureNames, precision, recall } from '../filter-corpus/figures.ts'
import { halves, sentencesOf } from '../filter-corpus/people.ts'
import { positive } from '../filter-corpus/values.ts'

test('the corpus has 300 different sentences, a quarter of them without findings', () => {
  const sentences = corpus()
  assert.ok(sentences.length >= 300)
  assert.ok(new Set(sentences.map(({ text }) => text)).size > sentences.length - 5)
  assert.ok(sentences.filter(({ slug }) => !slug).length > sentences.length / 4)
})

for (const figures of measure()) {
  test(`${figures.slug} has the documented recall and precision`, () => {
    const { minPrecision, minRecall } = positive[figures.slug]
    assert.ok(precision(figures) >= minPrecision, `precision ${precision(figures)}: ${figures.misses.join(' | ')}`)
    assert.ok(recall(figures) >= minRecall, `recall ${recall(figures)}: ${figures.misses.join(' | ')}`)
  })
}

test('the corpus of names has 2,000 sentences, and disjoint halves', () => {
  const sentences = Object.values(halves).flatMap(sentencesOf)
  assert.equal(new Set(sentences.map(({ text }) => text)).size, 2000)
  const [one, other] = Object.values(halves).map((half) => [
    ...half.names.split(/;\s*/),
    ...half.things.split(/;\s*/),
    ...`${half.surnames} ${half.given}`.split(' '),
    ...[half.texts, half.titled, half.alone, half.about, half.nobody].flat(),
  ])
  assert.deepEqual(
    one!.filter((part) => other!.includes(part)),
    [],
  )
})

for (const [half, floor] of [
  ['tuned', 0.96],
  ['held out', 0.8],
] as const) {
  test(`person-name finds at least ${floor} of the names of the half that is ${half}`, () => {
    const all = measureNames(half).get('all')!
    assert.ok(precision(all) >= 0.98, `precision ${precision(all)}`)
    assert.ok(recall(all) >= floor, `recall ${recall(all)}`)
  })
}

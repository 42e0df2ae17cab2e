import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { categories, intervals, protocols, regions } from './vocabulary.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const read = (file: string) => readFileSync(`${root}/${file}`, 'utf8')

test('no other file of src writes one of the lists again', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/vocabulary|\.test\.ts$/.test(file))
  const duplicates = files.flatMap((file) =>
    [categories, intervals, protocols, regions]
      .filter((words) =>
        words.slice(1).some((word, i) => new RegExp(`'${words[i]}'\\s*[,|]\\s*'${word}'`).test(read(file))),
      )
      .map((words) => `${file}: ${words[0]} …`),
  )
  assert.deepEqual(duplicates, [])
})

test('the documents name every word', () => {
  const missing = (file: string, words: readonly string[]) =>
    words.filter((word) => !read(file).includes(`\`${word}\``))
  assert.deepEqual(missing('docs/catalogue.md', [...regions, ...categories]), [])
  assert.deepEqual(missing('docs/guardrails.md', [...regions, ...intervals]), [])
  assert.deepEqual(missing('docs/providers.md', protocols), [])
})

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bytesPerToken, estimateTokens } from './token-estimate.ts'

test('the three estimates of one text lie in order: what surely fits, the usual one, what is surely enough', () => {
  const of = (perToken: number) => estimateTokens(1000, perToken)
  assert.deepEqual([of(bytesPerToken.most), estimateTokens(1000), of(bytesPerToken.fewest)], [125, 250, 334])
  assert.equal(estimateTokens(1), 1)
})

test('no other file of src has a number of its own for the text of a token', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const others = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.includes('token-estimate') && !file.endsWith('.test.ts'))
    .filter((file) => /(?<![a-z])(bytes|characters)PerToken = \d/.test(readFileSync(`${root}/${file}`, 'utf8')))
  assert.deepEqual(others, [])
})

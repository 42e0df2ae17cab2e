import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bytesPerToken, estimateTokens } from './token-estimate.ts'

test('the estimates of a text are ordered: lower bound, usual, upper bound', () => {
  const of = (perToken: number) => estimateTokens(1000, perToken)
  assert.deepEqual([of(bytesPerToken.max), estimateTokens(1000), of(bytesPerToken.min)], [125, 250, 334])
  assert.equal(estimateTokens(1), 1)
})

test('no other file of src has its own constant for the tokens of a text', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const others = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.includes('token-estimate') && !file.endsWith('.test.ts'))
    .filter((file) => /(?<![a-z])(bytes|characters)PerToken = \d/.test(readFileSync(`${root}/${file}`, 'utf8')))
  assert.deepEqual(others, [])
})

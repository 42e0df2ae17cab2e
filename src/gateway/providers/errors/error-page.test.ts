import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPageText } from './error-page.ts'

test('the text of a page is its title, or else its words', () => {
  assert.equal(readPageText('<html><head><title>502 Bad Gateway</title></head></html>'), '502 Bad Gateway')
  assert.equal(readPageText('<html><body><h1>Bad</h1> gateway</body></html>'), 'Bad gateway')
})

test('a long page of unclosed tags is read in little time', () => {
  const startedAt = performance.now()
  readPageText(`<html>${'<title'.repeat(200_000)}`)
  // Quadratic work takes over a minute.
  assert.ok(performance.now() - startedAt < 10_000)
})

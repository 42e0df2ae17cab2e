import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countLongWaits } from './long-waits.ts'

test('only statements that have waited for 0.25 s or more count', () => {
  assert.equal(countLongWaits([{ since: 0 }, { since: 700 }, { since: 900 }], 1000), 2)
})

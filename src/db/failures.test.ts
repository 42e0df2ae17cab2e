import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseFailureOf, databaseFault } from './failures.ts'

for (const [failure, codes, told] of [
  ['unreachable', ['08006', '57P01', '53300', 'ECONNRESET', 'EAI_AGAIN'], /cannot be reached now/],
  ['too_slow', ['57014', '55P03', '25P03', '40P01', '40001'], /took too long\. Try again shortly/],
  ['read_only', ['25006'], /takes no changes now: it can only be read/],
] as const)
  test(`a database that is ${failure} is told from a query that is to blame, and how it is told of`, () => {
    for (const code of codes) {
      const fault = databaseFault({ code })
      assert.deepEqual([databaseFailureOf({ code }), fault?.kind], [failure, 'unavailable'])
      assert.match(fault!.message, told)
    }
  })

test('a query that is to blame is no failure of the database', () => {
  for (const error of [{ code: '23505' }, { code: '42601' }, new Error('no such column'), undefined, { code: 7 }])
    assert.equal(databaseFault(error), undefined)
  assert.equal(databaseFailureOf(new Error('Connection terminated unexpectedly')), 'unreachable')
})

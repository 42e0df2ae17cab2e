import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnconfirmedLoss } from './unconfirmed-loss.ts'

test('each part of a loss is taken once', () => {
  const loss = new UnconfirmedLoss()
  assert.equal(loss.takeUnsettled(), undefined)
  loss.add(5n, false)
  assert.deepEqual(loss.takeUnsettled(), { cost: 5n, byok: false })
  assert.equal(loss.takeUnsettled(), undefined)
  loss.add(2n, true)
  assert.deepEqual(loss.takeUnsettled(), { cost: 2n, byok: true })
  assert.equal(loss.cost, 7n)
  assert.deepEqual(loss.unsettledCost({ cost: 3n, margin: 7n, byok: true }), { cost: 3n, byok: true })
})

test('a loss with the credentials of both owners counts in no single budget', () => {
  const loss = new UnconfirmedLoss()
  assert.equal(loss.countsInSameBudgets(true), true)
  loss.add(5n, false)
  assert.deepEqual(
    [undefined, false, true].map((responseByok) => loss.countsInSameBudgets(responseByok)),
    [true, true, false],
  )
  loss.add(2n, true)
  assert.deepEqual(
    [undefined, false, true].map((responseByok) => loss.countsInSameBudgets(responseByok)),
    [false, false, false],
  )
})

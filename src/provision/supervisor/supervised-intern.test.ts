import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { SupervisedIntern } from './supervised-intern.ts'

test('each consecutive failure doubles the delay of the restart', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const intern = new SupervisedIntern()
  intern.recordStart(() => {})
  let restarts = 0
  for (const waitMs of [500, 1000, 2000]) {
    intern.scheduleRestart(() => restarts++)
    mock.timers.tick(waitMs - 1)
    assert.equal(intern.takeRestart(), false)
    mock.timers.tick(1)
    assert.equal(intern.takeRestart(), true)
    assert.equal(intern.takeRestart(), false)
  }
  assert.equal(restarts, 3)
  mock.timers.reset()
})

test('a released intern is neither watched nor restarted', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let watching = true
  const intern = new SupervisedIntern()
  intern.recordStart(() => {
    watching = false
  })
  intern.scheduleRestart(() => assert.fail('it was restarted'))
  assert.equal(watching, false)
  intern.endWatch()
  mock.timers.tick(60_000)
  mock.timers.reset()
})

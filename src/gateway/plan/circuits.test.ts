import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AttemptPermit, type CircuitChange, createCircuits } from './circuits.ts'

type Change = [string, string]

/** Circuits with a manual clock, and the changes that operators see. */
function circuits() {
  const clock = { at: 1_000_000 }
  const changes: Change[] = []
  const onChange = (name: string, change: CircuitChange) =>
    void changes.push([name, 'reason' in change ? change.reason : change.state])
  const created = createCircuits({ now: () => clock.at, onChange })
  const start = (count: number) =>
    Array.from({ length: count }, () => created.admit('e')).filter((one) => one !== undefined)
  const fail = (permits: AttemptPermit[], trouble = {}) => {
    for (const permit of permits) permit.reportFailure(trouble)
  }
  const response = (permits: AttemptPermit[]) => {
    for (const permit of permits) permit.reportFirstByte()
  }
  const wait = (ms: number) => {
    clock.at += ms
  }
  return { ...created, changes, start, fail, response, wait, open: () => fail(start(10)) }
}

describe('a circuit', () => {
  test('opens when half of ten requests or more have failed, and not before', () => {
    const { start, fail, response, health } = circuits()
    response(start(5))
    fail(start(4))
    assert.equal(health('e'), 'troubled')
    fail(start(1))
    assert.equal(health('e'), 'open')
  })

  test('counts an attempt that reports a failure twice as one failure', () => {
    const { start, fail, response, health } = circuits()
    response(start(6))
    const permits = start(4)
    fail(permits)
    fail(permits)
    assert.equal(health('e'), 'troubled')
  })

  test('ignores the first byte of an attempt that started before it opened', () => {
    const { start, fail, response, health, wait } = circuits()
    const slow = start(1)
    wait(1000)
    fail(start(10))
    response(slow)
    assert.equal(health('e'), 'open')
    wait(5000)
    assert.equal(start(2).length, 1)
  })

  test('ignores reports of an attempt that has ended', () => {
    const { start, fail, response, health } = circuits()
    const permits = start(10)
    for (const permit of permits) permit.end()
    fail(permits)
    response(permits)
    assert.equal(health('e'), 'healthy')
  })

  test('stays closed at three failures in a hundred, however many', () => {
    const { start, fail, response, health } = circuits()
    for (let hundred = 0; hundred < 100; hundred++) {
      response(start(97))
      fail(start(3))
      assert.equal(health('e'), 'troubled')
    }
  })

  test('stays closed for an endpoint that is rarely called', () => {
    const { start, fail, health, wait } = circuits()
    for (let minute = 0; minute < 100; minute++) {
      fail(start(1))
      wait(60_000)
    }
    assert.equal(health('e'), 'healthy')
  })

  test('counts twelve requests that end with one lost connection as one failure', () => {
    const { start, fail, response, health, wait } = circuits()
    response(start(9))
    const running = start(12)
    wait(500)
    fail(running, { isConnectionLost: true })
    assert.equal(health('e'), 'troubled')
    fail(start(9), { isConnectionLost: true })
    assert.equal(health('e'), 'open')
  })

  test('pauses for a Retry-After, whatever the outcome of earlier requests', () => {
    const { start, fail, response, health, wait, restriction } = circuits()
    const [limited, ...before] = start(200)
    limited!.reportFailure({ retryAfterMs: 1_000 })
    assert.deepEqual([health('e'), restriction('e')], ['unavailable', { reason: 'retry_after', until: 1_001_000 }])
    response(before.slice(6))
    fail(before.slice(0, 6))
    wait(999)
    assert.equal(health('e'), 'unavailable')
    wait(1)
    assert.equal(health('e'), 'troubled')
    assert.equal(start(50).length, 50)
  })

  test('limits a Retry-After to ten minutes', () => {
    const { start, fail, restriction } = circuits()
    fail(start(1), { retryAfterMs: 1e12 })
    assert.equal(restriction('e')?.until, 1_600_000)
  })

  test('ignores time-outs of requests that started before it opened', () => {
    const { start, fail, response, open, health, wait, restriction } = circuits()
    const before = start(8)
    open()
    wait(4_000)
    fail(before.slice(0, 4))
    assert.equal(restriction('e')?.until, 1_005_000)
    wait(1_000)
    for (let second = 0; second < 10; second++) {
      response(start(1))
      wait(1_000)
    }
    fail(before.slice(4))
    wait(30_000)
    assert.equal(health('e'), 'healthy')
  })

  test('does not open while most requests are still running', () => {
    const { start, fail, health } = circuits()
    start(30)
    fail(start(20))
    assert.equal(health('e'), 'troubled')
    fail(start(10))
    assert.equal(health('e'), 'open')
  })

  test('ignores attempts that ended without an outcome', () => {
    const { start, fail, health } = circuits()
    for (const permit of start(1_000)) permit.end()
    fail(start(9))
    assert.equal(health('e'), 'troubled')
    fail(start(1))
    assert.equal(health('e'), 'open')
  })

  test('opens by time-outs after two minutes, without a newer outcome', () => {
    const { start, fail, health, wait } = circuits()
    const hanging = start(10)
    wait(120_000)
    fail(hanging)
    assert.equal(health('e'), 'open')
  })

  test('doubles its open time of five seconds with each failure, up to a minute', () => {
    const { start, fail, open, wait, restriction } = circuits()
    open()
    const waits = Array.from({ length: 6 }, (_, time) => {
      const { until } = restriction('e')!
      const ms = until - 1_000_000
      wait(time === 0 ? 5_000 : Math.min(5_000 * 2 ** time, 60_000))
      fail(start(1))
      return ms
    })
    assert.deepEqual(waits, [5_000, 15_000, 35_000, 75_000, 135_000, 195_000])
  })

  test('half-open admits a growing share, and closes after ten first bytes', () => {
    const { start, response, open, health, wait } = circuits()
    open()
    wait(5_000)
    const shares = Array.from({ length: 5 }, () => {
      const admitted = start(20)
      response(admitted)
      return admitted.length
    })
    assert.deepEqual(shares, [1, 2, 6, 18, 20])
    assert.equal(health('e'), 'troubled')
  })

  test('half-open admits one request a second while others hang', () => {
    const { start, open, wait } = circuits()
    open()
    wait(5_000)
    for (let second = 0; second < 100; second++) {
      assert.equal(start(3).length, 1)
      wait(1_000)
    }
  })

  test('counts a response that broke off as a failure only', () => {
    const { start, fail, response, health } = circuits()
    const streams = start(10)
    response(streams)
    fail(streams.slice(0, 4))
    assert.equal(health('e'), 'troubled')
    fail(streams.slice(4, 5))
    assert.equal(health('e'), 'open')
  })

  test('counts an attempt once, whatever it reports later', () => {
    const { start, health } = circuits()
    const permits = start(5)
    for (const permit of [...permits, ...permits, ...permits]) permit.reportFailure({})
    assert.equal(health('e'), 'troubled')
  })

  test('open permits last resorts, after twenty failures one a second', () => {
    const { admitLastResort, open, health, wait } = circuits()
    open()
    for (let more = 0; more < 9; more++) admitLastResort('e')!.reportFailure({})
    admitLastResort('e')!.reportFirstByte()
    for (let more = 0; more < 20; more++) admitLastResort('e')!.reportFailure({})
    const triesIn = () => Array.from({ length: 10 }, () => admitLastResort('e')).filter((permit) => permit).length
    assert.deepEqual([health('e'), triesIn(), health('e')], ['open', 1, 'unavailable'])
    wait(1_000)
    assert.equal(triesIn(), 1)
    wait(1_000)
    admitLastResort('e')!.reportFirstByte()
    assert.equal(triesIn(), 10)
  })

  test('resets when the clock is set back', () => {
    const { open, health, wait } = circuits()
    open()
    wait(-600_000)
    assert.equal(health('e'), 'healthy')
  })

  test('reports its state and each change', () => {
    const { start, response, fail, open, listRestricted, changes, wait } = circuits()
    open()
    assert.deepEqual(listRestricted(), [{ name: 'e', state: 'open', reason: 'failure_rate', until: 1_005_000 }])
    wait(5_000)
    assert.deepEqual(listRestricted()[0]?.state, 'half_open')
    for (let second = 0; second < 10; second++) {
      response(start(1))
      wait(1_000)
    }
    fail(start(2), { retryAfterMs: 1_000 })
    assert.equal(listRestricted()[0]?.state, 'paused')
    wait(1_000)
    assert.deepEqual(listRestricted(), [])
    assert.deepEqual(changes, [
      ['e', 'failure_rate'],
      ['e', 'half_open'],
      ['e', 'closed'],
      ['e', 'retry_after'],
    ])
  })

  test('of one endpoint does not affect another', () => {
    const { open, health } = circuits()
    open()
    assert.equal(health('other'), 'healthy')
  })
})

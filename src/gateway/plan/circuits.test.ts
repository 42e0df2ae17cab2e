import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AttemptPermit, type CircuitChange, createCircuits } from './circuits.ts'

type Change = [string, string]

/** Circuits on a clock that is turned by hand, and what operators are told of them. */
function circuits() {
  const clock = { at: 1_000_000 }
  const told: Change[] = []
  const watch = (name: string, change: CircuitChange) =>
    void told.push([name, 'reason' in change ? change.reason : change.state])
  const made = createCircuits({ now: () => clock.at, watch })
  const begin = (count: number) =>
    Array.from({ length: count }, () => made.admit('e')).filter((one) => one !== undefined)
  const fail = (passes: AttemptPermit[], trouble = {}) => {
    for (const pass of passes) pass.failed(trouble)
  }
  const answer = (passes: AttemptPermit[]) => {
    for (const pass of passes) pass.answered()
  }
  const wait = (ms: number) => {
    clock.at += ms
  }
  return { ...made, told, begin, fail, answer, wait, open: () => fail(begin(10)) }
}

describe('a circuit', () => {
  test('opens when half of ten requests or more have failed, and not before', () => {
    const { begin, fail, answer, health } = circuits()
    answer(begin(5))
    fail(begin(4))
    assert.equal(health('e'), 'troubled')
    fail(begin(1))
    assert.equal(health('e'), 'shut')
  })

  test('counts an attempt that is told twice to have failed as one failure', () => {
    const { begin, fail, answer, health } = circuits()
    answer(begin(6))
    const passes = begin(4)
    fail(passes)
    fail(passes)
    assert.equal(health('e'), 'troubled')
  })

  test('that was shut while the first byte was under way lets nobody in before its time', () => {
    const { begin, fail, answer, health, wait } = circuits()
    const slow = begin(1)
    wait(1000)
    fail(begin(10))
    answer(slow)
    assert.equal(health('e'), 'shut')
    wait(5000)
    assert.equal(begin(2).length, 1)
  })

  test('counts nothing that is told of an attempt when it is over', () => {
    const { begin, fail, answer, health } = circuits()
    const passes = begin(10)
    for (const pass of passes) pass.ended()
    fail(passes)
    answer(passes)
    assert.equal(health('e'), 'fit')
  })

  test('stays closed at three failures in a hundred, however many', () => {
    const { begin, fail, answer, health } = circuits()
    for (let hundred = 0; hundred < 100; hundred++) {
      answer(begin(97))
      fail(begin(3))
      assert.equal(health('e'), 'troubled')
    }
  })

  test('of an endpoint that is rarely asked never opens', () => {
    const { begin, fail, health, wait } = circuits()
    for (let minute = 0; minute < 100; minute++) {
      fail(begin(1))
      wait(60_000)
    }
    assert.equal(health('e'), 'fit')
  })

  test('stays closed when one break ends all twelve requests under way, which is one failure', () => {
    const { begin, fail, answer, health, wait } = circuits()
    answer(begin(9))
    const underWay = begin(12)
    wait(500)
    fail(underWay, { severed: true })
    assert.equal(health('e'), 'troubled')
    fail(begin(9), { severed: true })
    assert.equal(health('e'), 'shut')
  })

  test('is shut by one Retry-After for as long as it says, whatever comes of requests from before', () => {
    const { begin, fail, answer, health, wait, whyShut } = circuits()
    const [limited, ...before] = begin(200)
    limited!.failed({ retryAfterMs: 1_000 })
    assert.deepEqual([health('e'), whyShut('e')], ['barred', { reason: 'retry_after', until: 1_001_000 }])
    answer(before.slice(6))
    fail(before.slice(0, 6))
    wait(999)
    assert.equal(health('e'), 'barred')
    wait(1)
    assert.equal(health('e'), 'troubled')
    assert.equal(begin(50).length, 50)
  })

  test('lets no upstream shut itself off for more than ten minutes', () => {
    const { begin, fail, whyShut } = circuits()
    fail(begin(1), { retryAfterMs: 1e12 })
    assert.equal(whyShut('e')?.until, 1_600_000)
  })

  test('is not opened again, nor kept open, by time-outs of requests that began before it opened', () => {
    const { begin, fail, answer, open, health, wait, whyShut } = circuits()
    const before = begin(8)
    open()
    wait(4_000)
    fail(before.slice(0, 4))
    assert.equal(whyShut('e')?.until, 1_005_000)
    wait(1_000)
    for (let second = 0; second < 10; second++) {
      answer(begin(1))
      wait(1_000)
    }
    fail(before.slice(4))
    wait(30_000)
    assert.equal(health('e'), 'fit')
  })

  test('does not open while most are still under way, though only failures are known yet', () => {
    const { begin, fail, health } = circuits()
    begin(30)
    fail(begin(20))
    assert.equal(health('e'), 'troubled')
    fail(begin(10))
    assert.equal(health('e'), 'shut')
  })

  test('forgets those whose clients left, and those who asked for what is not there', () => {
    const { begin, fail, health } = circuits()
    for (const pass of begin(1_000)) pass.ended()
    fail(begin(9))
    assert.equal(health('e'), 'troubled')
    fail(begin(1))
    assert.equal(health('e'), 'shut')
  })

  test('is opened by time-outs that come two minutes late, where nothing newer is known', () => {
    const { begin, fail, health, wait } = circuits()
    const hanging = begin(10)
    wait(120_000)
    fail(hanging)
    assert.equal(health('e'), 'shut')
  })

  test('is open for five seconds, and twice as long each time that it fails again, up to a minute', () => {
    const { begin, fail, open, wait, whyShut } = circuits()
    open()
    const waits = Array.from({ length: 6 }, (_, time) => {
      const { until } = whyShut('e')!
      const ms = until - 1_000_000
      wait(time === 0 ? 5_000 : Math.min(5_000 * 2 ** time, 60_000))
      fail(begin(1))
      return ms
    })
    assert.deepEqual(waits, [5_000, 15_000, 35_000, 75_000, 135_000, 195_000])
  })

  test('half-open lets a growing share in, and is closed by the first bytes of answers that nobody reads on', () => {
    const { begin, answer, open, health, wait } = circuits()
    open()
    wait(5_000)
    const shares = Array.from({ length: 5 }, () => {
      const admitted = begin(20)
      answer(admitted)
      return admitted.length
    })
    assert.deepEqual(shares, [1, 2, 6, 18, 20])
    assert.equal(health('e'), 'troubled')
  })

  test('half-open is not held by those that hang: one more is let in each second', () => {
    const { begin, open, wait } = circuits()
    open()
    wait(5_000)
    for (let second = 0; second < 100; second++) {
      assert.equal(begin(3).length, 1)
      wait(1_000)
    }
  })

  test('counts an answer that broke off as a failure, not as both', () => {
    const { begin, fail, answer, health } = circuits()
    const streams = begin(10)
    answer(streams)
    fail(streams.slice(0, 4))
    assert.equal(health('e'), 'troubled')
    fail(streams.slice(4, 5))
    assert.equal(health('e'), 'shut')
  })

  test('counts an attempt once, whatever it is told afterwards', () => {
    const { begin, health } = circuits()
    const passes = begin(5)
    for (const pass of [...passes, ...passes, ...passes]) pass.failed({})
    assert.equal(health('e'), 'troubled')
  })

  test('that is shut may be asked as a last resort; once a second after nothing has helped for twenty times', () => {
    const { lastResort, open, health, wait } = circuits()
    open()
    for (let more = 0; more < 9; more++) lastResort('e')!.failed({})
    lastResort('e')!.answered()
    for (let more = 0; more < 20; more++) lastResort('e')!.failed({})
    const triesIn = () => Array.from({ length: 10 }, () => lastResort('e')).filter((pass) => pass).length
    assert.deepEqual([health('e'), triesIn(), health('e')], ['shut', 1, 'barred'])
    wait(1_000)
    assert.equal(triesIn(), 1)
    wait(1_000)
    lastResort('e')!.answered()
    assert.equal(triesIn(), 10)
  })

  test('does not stay open when the clock is set back', () => {
    const { open, health, wait } = circuits()
    open()
    wait(-600_000)
    assert.equal(health('e'), 'fit')
  })

  test('tells when it opens and closes, and is on report meanwhile', () => {
    const { begin, answer, fail, open, report, told, wait } = circuits()
    open()
    assert.deepEqual(report(), [{ name: 'e', state: 'open', reason: 'failure_rate', until: 1_005_000 }])
    wait(5_000)
    assert.deepEqual(report()[0]?.state, 'half_open')
    for (let second = 0; second < 10; second++) {
      answer(begin(1))
      wait(1_000)
    }
    fail(begin(2), { retryAfterMs: 1_000 })
    assert.equal(report()[0]?.state, 'paused')
    wait(1_000)
    assert.deepEqual(report(), [])
    assert.deepEqual(told, [
      ['e', 'failure_rate'],
      ['e', 'half_open'],
      ['e', 'closed'],
      ['e', 'retry_after'],
    ])
  })

  test('of one endpoint says nothing of another', () => {
    const { open, health } = circuits()
    open()
    assert.equal(health('other'), 'fit')
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Behaviour, simulate } from '#test/harness/upstream/endpoints/simulated-endpoints.ts'

const failing =
  (share: number, more = {}): Behaviour =>
  () => ({ failureProbability: share, ...more })
const healthy = failing(0.03)
const three = [healthy, healthy, healthy]
/** Fails for 300 ms every ten seconds, which is 3 %. */
const inBursts =
  (from: number): Behaviour =>
  (at) => ({ failureProbability: (at + from) % 10_000 < 300 ? 1 : 0 })
const down =
  (from: number, to: number): Behaviour =>
  (at) => ({ failureProbability: at >= from && at < to ? 1 : 0.03 })

describe('a simulation of endpoints', () => {
  for (const perSecond of [2, 50, 200]) {
    test(`with three that fail 3 % answers 99.9 % at ${perSecond} requests a second`, () => {
      const { available, openShare } = simulate(three, { perSecond })
      assert.ok(available >= 0.999, `${available}`)
      assert.equal(openShare, 0)
    })
  }

  test('with three that fail 3 % in bursts answers 99.9 %, and rarely opens a circuit', () => {
    const { available, openShare } = simulate([inBursts(0), inBursts(3_000), inBursts(6_000)], { perSecond: 200 })
    assert.ok(available >= 0.999, `${available}`)
    assert.ok(openShare < 0.01, `${openShare}`)
  })

  test('with three that fail 60 % answers the possible 78 % with open circuits', () => {
    const { available, openShare } = simulate([failing(0.6), failing(0.6), failing(0.6)])
    assert.ok(available > 0.76, `${available}`)
    assert.ok(openShare > 0)
  })

  test('with one that is down rarely calls it, and answers through the others', () => {
    const { available, attempts, answered } = simulate([failing(1), healthy, healthy])
    assert.ok(available >= 0.9985, `${available}`)
    assert.ok(attempts / answered < 1.05, `${attempts / answered} attempts per request`)
  })

  test('with all down for a minute rarely calls them, and recovers within two seconds', () => {
    const { answered, attempts, failed, refused } = simulate(Array(3).fill(down(60_000, 120_000)))
    assert.ok(failed + refused < 50 * 62, `${failed + refused} requests were not answered`)
    assert.ok(attempts - answered < 2_000, `${attempts - answered} attempts in vain`)
  })

  test('with one that drops its connections every minute opens no circuit', () => {
    const restarts: Behaviour = (at, answersAfterMs) => {
      const untilBreak = 60_000 - (at % 60_000)
      return untilBreak < answersAfterMs
        ? { failureProbability: 1, failsAfterMs: untilBreak, isConnectionLost: true }
        : { failureProbability: 0.03 }
    }
    const { available, openShare } = simulate([restarts, healthy, healthy], { latencyMs: 20_000 })
    assert.ok(available >= 0.999, `${available}`)
    assert.equal(openShare, 0)
  })

  test('with a rate limit of one second in five pauses no longer than requested', () => {
    const limits: Behaviour = (at) => ({ failureProbability: at % 5_000 < 1_000 ? 1 : 0, retryAfterMs: 1_000 })
    const { available, openShare } = simulate([limits, healthy, healthy])
    assert.ok(available >= 0.999, `${available}`)
    assert.ok(openShare < 0.14, `${openShare}`)
  })

  test('with a single one that fails 3 % answers 97 %', () => {
    const { available } = simulate([healthy])
    assert.ok(available > 0.96, `${available}`)
  })

  test('with a single one that hangs refuses at once and tries once a second', () => {
    const { attempts, refused } = simulate([failing(1, { failsAfterMs: 120_000 })])
    // For the first two minutes no outcome exists.
    assert.ok(attempts < 50 * 120 + 3 * 180, `${attempts} attempts`)
    assert.ok(refused > 50 * 160, `${refused} were refused`)
  })
})

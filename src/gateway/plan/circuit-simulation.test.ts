import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Behaviour, simulate } from '#test/harness/upstream/simulated-endpoints.ts'

const failing =
  (share: number, more = {}): Behaviour =>
  () => ({ failing: share, ...more })
const sound = failing(0.03)
const three = [sound, sound, sound]
/** Fails 3 % in all, 300 ms every ten seconds, at a time of its own. */
const inBursts =
  (from: number): Behaviour =>
  (at) => ({ failing: (at + from) % 10_000 < 300 ? 1 : 0 })
const down =
  (from: number, to: number): Behaviour =>
  (at) => ({ failing: at >= from && at < to ? 1 : 0.03 })

describe('a simulation of endpoints', () => {
  for (const perSecond of [2, 50, 200]) {
    test(`of which three fail 3 % each answers 99.9 % at ${perSecond} requests a second, and shuts none`, () => {
      const { available, shut } = simulate(three, { perSecond })
      assert.ok(available >= 0.999, `${available}`)
      assert.equal(shut, 0)
    })
  }

  test('of which three fail 3 % each, in bursts, answers 99.9 %, and hardly shuts one', () => {
    const { available, shut } = simulate([inBursts(0), inBursts(3_000), inBursts(6_000)], { perSecond: 200 })
    assert.ok(available >= 0.999, `${available}`)
    assert.ok(shut < 0.01, `${shut}`)
  })

  test('of which three fail 60 % each answers what they allow, 78 %, though their circuits open', () => {
    const { available, shut } = simulate([failing(0.6), failing(0.6), failing(0.6)])
    assert.ok(available > 0.76, `${available}`)
    assert.ok(shut > 0)
  })

  test('of which one is down asks it seldom, and answers what the others allow', () => {
    const { available, asked, answered } = simulate([failing(1), sound, sound])
    assert.ok(available >= 0.9985, `${available}`)
    assert.ok(asked / answered < 1.05, `${asked / answered} attempts a request`)
  })

  test('of which all are down for a minute asks seldom meanwhile, and is back within two seconds of them', () => {
    const { answered, asked, failed, refused } = simulate(Array(3).fill(down(60_000, 120_000)))
    assert.ok(failed + refused < 50 * 62, `${failed + refused} requests were not answered`)
    assert.ok(asked - answered < 2_000, `${asked - answered} attempts in vain`)
  })

  test('of which one breaks all its connections every minute answers 99.9 %, and shuts none', () => {
    const restarts: Behaviour = (at, answersAfterMs) => {
      const untilBreak = 60_000 - (at % 60_000)
      return untilBreak < answersAfterMs ? { failing: 1, failsAfterMs: untilBreak, severed: true } : { failing: 0.03 }
    }
    const { available, shut } = simulate([restarts, sound, sound], { latencyMs: 20_000 })
    assert.ok(available >= 0.999, `${available}`)
    assert.equal(shut, 0)
  })

  test('of which one limits its rate a second in five is shut for no longer than it says', () => {
    const limits: Behaviour = (at) => ({ failing: at % 5_000 < 1_000 ? 1 : 0, retryAfterMs: 1_000 })
    const { available, shut } = simulate([limits, sound, sound])
    assert.ok(available >= 0.999, `${available}`)
    assert.ok(shut < 0.14, `${shut}`)
  })

  test('of which there is one alone, failing 3 %, answers 97 %', () => {
    const { available } = simulate([sound])
    assert.ok(available > 0.96, `${available}`)
  })

  test('of which there is one alone, hanging for two minutes each time, refuses at once and asks once a second', () => {
    const { asked, refused } = simulate([failing(1, { failsAfterMs: 120_000 })])
    // Nobody can know for two minutes.
    assert.ok(asked < 50 * 120 + 3 * 180, `${asked} were asked`)
    assert.ok(refused > 50 * 160, `${refused} were refused`)
  })
})

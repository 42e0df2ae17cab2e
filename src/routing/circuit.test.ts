import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCircuits, type Sign } from './circuit.ts'

const trouble: Sign = { kind: 'trouble' }

function circuits() {
  const clock = { at: 1_000_000 }
  const made = createCircuits({ now: () => clock.at })
  const report = (sign: Sign) => made.admit('e')?.(sign)
  return { ...made, clock, report, failTimes: (times: number) => Array.from({ length: times }, () => report(trouble)) }
}

describe('a circuit', () => {
  test('opens after five failures in a row, each further one for twice as long', () => {
    const { failTimes, isOpen, waitMs, report, clock } = circuits()
    failTimes(4)
    assert.equal(isOpen('e'), false)
    failTimes(1)
    assert.equal(waitMs(['e']), 5_000)
    clock.at += 5_000
    report(trouble)
    assert.equal(waitMs(['e']), 10_000)
  })

  test('is closed by a success in between', () => {
    const { failTimes, isOpen, report } = circuits()
    failTimes(4)
    report({ kind: 'ok' })
    failTimes(4)
    assert.equal(isOpen('e'), false)
  })

  test('remembers trouble for 30 seconds, success or not', () => {
    const { isTroubled, report, clock } = circuits()
    report(trouble)
    report({ kind: 'ok' })
    clock.at += 29_999
    assert.equal(isTroubled('e'), true)
    clock.at += 1
    assert.equal(isTroubled('e'), false)
  })

  test('is open for as long as the upstream asked, which one refusal is enough for', () => {
    const { isOpen, report, clock } = circuits()
    report({ kind: 'trouble', retryAfterMs: 7_000 })
    clock.at += 6_999
    assert.equal(isOpen('e'), true)
    clock.at += 1
    assert.equal(isOpen('e'), false)
  })

  test('is not closed by an answer that was asked for before it opened', () => {
    const { admit, isOpen, report } = circuits()
    const early = admit('e')
    report({ kind: 'trouble', retryAfterMs: 7_000 })
    early?.({ kind: 'ok' })
    assert.equal(isOpen('e'), true)
  })

  test('lets no upstream shut itself off for more than ten minutes', () => {
    const { waitMs, report } = circuits()
    report({ kind: 'trouble', retryAfterMs: 1e12 })
    assert.equal(waitMs(['e']), 600_000)
  })

  test('half-open lets one probe through, whose success closes it', () => {
    const { failTimes, admit, isOpen, clock } = circuits()
    failTimes(5)
    clock.at += 5_000
    const probe = admit('e')
    assert.ok(probe)
    assert.deepEqual([admit('e'), isOpen('e')], [undefined, true])
    probe({ kind: 'ok' })
    assert.ok(admit('e') && admit('e'))
  })

  test('opens again when its probe fails, even if it was opened by one refusal', () => {
    const { report, waitMs, clock } = circuits()
    report({ kind: 'trouble', retryAfterMs: 1_000 })
    clock.at += 1_000
    report(trouble)
    assert.equal(waitMs(['e']), 5_000)
  })

  test('gets a probe back whose client left, and no pass counts twice', () => {
    const { failTimes, admit, isOpen, clock } = circuits()
    failTimes(5)
    clock.at += 5_000
    const probe = admit('e')
    probe?.({ kind: 'unknown' })
    const second = admit('e')
    assert.ok(second)
    probe?.({ kind: 'ok' })
    assert.equal(isOpen('e'), true)
  })
})

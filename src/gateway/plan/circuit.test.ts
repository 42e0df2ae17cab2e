import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Circuit, freshCircuit, step } from './circuit.ts'
import { healthOf, restrictionOf } from './circuit-health.ts'

/** One request: the delay after the previous one and its duration in milliseconds, and its outcome. */
type Request = {
  delay: number
  duration: number
  outcome: 'answered' | 'failed' | 'disconnected' | 'broke' | 'limited' | 'abandoned'
}

const request = fc.record({
  delay: fc.oneof(fc.nat(50), fc.nat(3_000), fc.nat(90_000)),
  duration: fc.oneof(fc.nat(500), fc.nat(5_000), fc.constant(120_000)),
  outcome: fc.constantFrom('answered', 'answered', 'failed', 'failed', 'disconnected', 'broke', 'limited', 'abandoned'),
}) satisfies fc.Arbitrary<Request>
const history = fc.array(request, { minLength: 1, maxLength: 200 })

/** The starts and outcomes of the requests, by time. */
function eventsOf(requests: Request[]) {
  let startedAt = 1_000_000
  const all = requests.flatMap(({ delay, duration, outcome }) => {
    startedAt += delay
    const start = { at: startedAt, startedAt, kind: 'arrived' as const }
    const end = { at: startedAt + duration, startedAt, kind: outcome }
    const first = { at: startedAt + Math.floor(duration / 2), startedAt, kind: 'answered' as const }
    return outcome === 'broke' ? [start, first, end] : [start, end]
  })
  return all.toSorted((a, b) => a.at - b.at)
}

type RequestEvent = ReturnType<typeof eventsOf>[number]

function apply(circuit: Circuit, { at: now, startedAt, kind }: RequestEvent): Circuit {
  switch (kind) {
    case 'arrived': {
      const arrived = step(circuit, { type: 'request.arrived', now })
      const admits = ['healthy', 'troubled'].includes(healthOf(arrived, now))
      return step(arrived, { type: admits ? 'request.admitted' : 'request.forced', now })
    }
    case 'answered':
      return step(circuit, { type: 'response.started', now, startedAt })
    case 'limited':
      return step(circuit, { type: 'pause.requested', now, startedAt, durationMs: 2_000 })
    case 'abandoned':
      return step(circuit, { type: 'attempt.abandoned', now, startedAt })
    default:
      return step(circuit, {
        type: 'attempt.failed',
        now,
        startedAt,
        hasResponded: kind === 'broke',
        isConnectionLost: kind === 'disconnected',
      })
  }
}

const frozen = (circuit: Circuit) => Object.freeze(circuit)

/** Yields each event, with the circuit before and after it. */
function* replay(requests: Request[]) {
  let circuit = frozen(freshCircuit)
  for (const one of eventsOf(requests)) {
    const before = circuit
    circuit = frozen(apply(before, one))
    yield { before, circuit, one }
  }
}

const slotOf = (startedAt: number) => Math.floor(startedAt / 15_000)
const failures = ['failed', 'disconnected', 'broke']

test('a closed circuit opens only when half of ten or more concurrent requests failed', () => {
  fc.assert(
    fc.property(history, (requests) => {
      const events: RequestEvent[] = []
      for (const { before, circuit, one } of replay(requests)) {
        events.push(one)
        if (before.at !== 'closed' || circuit.at !== 'open') continue
        const slot = slotOf(one.startedAt)
        const together = events.filter(
          ({ startedAt }) => startedAt >= before.since && [slot, slot - 1].includes(slotOf(startedAt)),
        )
        const count = (...kinds: string[]) => together.filter(({ kind }) => kinds.includes(kind)).length
        assert.ok(failures.includes(one.kind))
        const started = count('arrived') - count('abandoned', 'limited')
        assert.ok(started >= 10, `${started} started`)
        // Of connections that were lost together only the first counts as a failure, even if it had not started to
        // response.
        assert.ok(count(...failures) * 2 >= started - count('disconnected'), `${count(...failures)} of ${started}`)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('requests from before a state do not change it, and restrictions are bounded', () => {
  fc.assert(
    fc.property(history, (requests) => {
      for (const { before, circuit, one } of replay(requests)) {
        const ticked = step(before, { type: 'clock.ticked', now: one.at })
        const isResult = !['arrived', 'limited'].includes(one.kind)
        if (isResult && one.startedAt < ticked.since) {
          const { failuresInARow } = circuit
          assert.deepEqual(circuit, { ...ticked, failuresInARow })
        }
        const restriction = restrictionOf(circuit, one.at)
        if (!restriction) continue
        const maxMs = restriction.reason === 'retry_after' ? 2_000 : 60_000
        const ms = restriction.until - one.at
        assert.ok(ms > 0 && ms <= maxMs, `${ms} ms, ${restriction.reason}`)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('an endpoint that recovers is healthy again within 70 seconds', () => {
  fc.assert(
    fc.property(history, (requests) => {
      const all = [...replay(requests)]
      let { circuit, one } = all.at(-1)!
      let now = one.at
      for (let second = 0; second < 71; second++) {
        now += 1_000
        circuit = step(circuit, { type: 'request.arrived', now })
        if (!['healthy', 'troubled'].includes(healthOf(circuit, now))) continue
        circuit = step(circuit, { type: 'request.admitted', now })
        circuit = step(circuit, { type: 'response.started', now, startedAt: now })
      }
      assert.equal(circuit.at, 'closed')
      assert.equal(restrictionOf(circuit, now), undefined)
    }),
    { numRuns: 2_000 },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Circuit, freshCircuit, healthOf, step, whyShut } from './circuit.ts'

/** One request: when it began, how it went and how long after, in milliseconds. */
type Request = { waited: number; took: number; how: 'answered' | 'failed' | 'severed' | 'broke' | 'limited' | 'left' }

const request = fc.record({
  waited: fc.oneof(fc.nat(50), fc.nat(3_000), fc.nat(90_000)),
  took: fc.oneof(fc.nat(500), fc.nat(5_000), fc.constant(120_000)),
  how: fc.constantFrom('answered', 'answered', 'failed', 'failed', 'severed', 'broke', 'limited', 'left'),
}) satisfies fc.Arbitrary<Request>
const history = fc.array(request, { minLength: 1, maxLength: 200 })

/** The outcomes of the requests, in the order in which they became known. */
function happenings(requests: Request[]) {
  let begunAt = 1_000_000
  const all = requests.flatMap(({ waited, took, how }) => {
    begunAt += waited
    const began = { at: begunAt, begunAt, kind: 'came' as const }
    const told = { at: begunAt + took, begunAt, kind: how }
    const first = { at: begunAt + Math.floor(took / 2), begunAt, kind: 'answered' as const }
    return how === 'broke' ? [began, first, told] : [began, told]
  })
  return all.toSorted((a, b) => a.at - b.at)
}

type Happening = ReturnType<typeof happenings>[number]

function after(circuit: Circuit, { at: now, begunAt, kind }: Happening): Circuit {
  switch (kind) {
    case 'came': {
      const came = step(circuit, { type: 'request.came', now })
      const letsIn = ['fit', 'troubled'].includes(healthOf(came, now))
      return step(came, { type: letsIn ? 'request.admitted' : 'request.insisted', now })
    }
    case 'answered':
      return step(circuit, { type: 'answer.began', now, begunAt })
    case 'limited':
      return step(circuit, { type: 'pause.asked', now, begunAt, forMs: 2_000 })
    case 'left':
      return step(circuit, { type: 'attempt.left', now, begunAt })
    default:
      return step(circuit, {
        type: 'attempt.failed',
        now,
        begunAt,
        answered: kind === 'broke',
        severed: kind === 'severed',
      })
  }
}

const frozen = (circuit: Circuit) => Object.freeze(circuit)

/** Everything that happened, with the circuit before and after it. */
function* lived(requests: Request[]) {
  let circuit = frozen(freshCircuit)
  for (const one of happenings(requests)) {
    const before = circuit
    circuit = frozen(after(before, one))
    yield { before, circuit, one }
  }
}

const slotOf = (begunAt: number) => Math.floor(begunAt / 15_000)
const failures = ['failed', 'severed', 'broke']

test('whatever happens, a closed circuit opens only when half failed of ten or more that began together', () => {
  fc.assert(
    fc.property(history, (requests) => {
      const known: Happening[] = []
      for (const { before, circuit, one } of lived(requests)) {
        known.push(one)
        if (before.at !== 'closed' || circuit.at !== 'open') continue
        const slot = slotOf(one.begunAt)
        const together = known.filter(
          ({ begunAt }) => begunAt >= before.since && [slot, slot - 1].includes(slotOf(begunAt)),
        )
        const count = (...kinds: string[]) => together.filter(({ kind }) => kinds.includes(kind)).length
        assert.ok(failures.includes(one.kind))
        const begun = count('came') - count('left', 'limited')
        assert.ok(begun >= 10, `${begun} begun`)
        // Of those that broke together one counts, and the others are as if they had never begun.
        assert.ok(count(...failures) * 2 >= begun - count('severed'), `${count(...failures)} of ${begun}`)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('whatever happens, what began before a state does not change it, and no wait is longer than promised', () => {
  fc.assert(
    fc.property(history, (requests) => {
      for (const { before, circuit, one } of lived(requests)) {
        const ticked = step(before, { type: 'clock.ticked', now: one.at })
        const isResult = !['came', 'limited'].includes(one.kind)
        if (isResult && one.begunAt < ticked.since) {
          const { failuresInARow } = circuit
          assert.deepEqual(circuit, { ...ticked, failuresInARow })
        }
        const shut = whyShut(circuit, one.at)
        if (!shut) continue
        const longest = shut.reason === 'retry_after' ? 2_000 : 60_000
        assert.ok(shut.until > one.at && shut.until - one.at <= longest, `${shut.until - one.at} ms, ${shut.reason}`)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('whatever has happened, an endpoint that answers again is asked again by everybody within a minute and ten seconds', () => {
  fc.assert(
    fc.property(history, (requests) => {
      const all = [...lived(requests)]
      let { circuit, one } = all.at(-1)!
      let now = one.at
      for (let second = 0; second < 71; second++) {
        now += 1_000
        circuit = step(circuit, { type: 'request.came', now })
        if (!['fit', 'troubled'].includes(healthOf(circuit, now))) continue
        circuit = step(circuit, { type: 'request.admitted', now })
        circuit = step(circuit, { type: 'answer.began', now, begunAt: now })
      }
      assert.equal(circuit.at, 'closed')
      assert.equal(whyShut(circuit, now), undefined)
    }),
    { numRuns: 2_000 },
  )
})

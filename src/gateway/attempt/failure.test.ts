import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { faultStatus } from '#platform/http/response/faults.ts'
import { endpointOf } from '#test/harness/upstream/candidates.ts'
import { failureOfStatus, faultOf, retryAfterMs } from './failure.ts'

const target = { endpoint: endpointOf('north') } as Parameters<typeof faultOf>[1]
const at = Date.UTC(2026, 10, 18, 12)

describe('an upstream’s refusal', () => {
  /** The upstream's status, the client's status, and whether the next endpoint is tried. */
  const table: [number, number, boolean][] = [
    [301, 502, true],
    [400, 400, false],
    [401, 502, true],
    [402, 402, true],
    [403, 403, false],
    [404, 404, true],
    [407, 502, true],
    [408, 408, true],
    [413, 413, false],
    [418, 502, true],
    [422, 400, false],
    [429, 429, true],
    [500, 502, true],
    [503, 502, true],
    [504, 408, true],
    [529, 502, true],
  ]
  for (const [theirs, ours, tryNext] of table) {
    test(`of ${theirs} is told as ${ours}, ${tryNext ? 'if no other endpoint answers' : 'at once'}`, () => {
      const failure = failureOfStatus(theirs, 'said why')
      assert.deepEqual([faultStatus[failure.kind], failure.tryNext], [ours, tryNext])
    })
  }

  test('tells of the endpoint when it is about us or the provider, never when it is about what was asked', () => {
    const statuses = [301, 400, 401, 402, 403, 404, 407, 408, 409, 413, 415, 418, 422, 429, 451, 500, 503, 529]
    const counting = statuses.filter((status) => failureOfStatus(status, undefined).endpointsFault)
    assert.deepEqual(counting, [301, 401, 402, 407, 408, 429, 500, 503, 529])
  })

  test('names the provider and its words, and when to come back', () => {
    const { message, details } = faultOf(failureOfStatus(429, 'slow down', 1500), target)
    assert.equal(message, 'The provider limits the rate of requests.')
    assert.deepEqual(details, { metadata: { provider_name: 'north', raw: 'slow down' }, retryAfterSeconds: 1.5 })
  })

  test('of our credential tells nothing of it', () => {
    const { message, details } = faultOf(failureOfStatus(401, 'Incorrect API key provided: sk-abc'), target)
    assert.doesNotMatch(JSON.stringify([message, details]), /sk-|Incorrect/)
  })

  test('of a key that a workspace brought says that it was this one', () => {
    const failure = failureOfStatus(401, 'Incorrect API key provided: sk-abc', undefined, 'workspace')
    assert.match(failure.message, /refused the key that this workspace brought/)
    assert.deepEqual([failure.kind, failure.raw, failure.tryNext], ['bad_gateway', undefined, true])
  })

  test('is cut where it is long', () => assert.equal(failureOfStatus(500, 'x'.repeat(1e6)).raw?.length, 2000))
})

test('nobody is told to wait for longer than a day', () => {
  const day = 24 * 3_600_000
  for (const told of ['1000000000', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])
    assert.equal(retryAfterMs(told, at), day)
})

test('Retry-After is read in seconds and as a date, and nonsense is not', () => {
  assert.equal(retryAfterMs('1.5', at), 1500)
  assert.equal(retryAfterMs(new Date(at + 60_000).toUTCString(), at), 60_000)
  assert.equal(retryAfterMs(new Date(at - 60_000).toUTCString(), at), 0)
  assert.deepEqual(
    [retryAfterMs('soon', at), retryAfterMs('', at), retryAfterMs(undefined, at)],
    [undefined, undefined, undefined],
  )
})

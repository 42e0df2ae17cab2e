import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { faultStatus } from '#platform/http/response/faults.ts'
import { endpointOf } from '#test/harness/upstream/endpoints/candidates.ts'
import { failureFromStatus, toClientFault } from './failure.ts'

const target = { endpoint: endpointOf('north') } as Parameters<typeof toClientFault>[1]

describe('an upstream’s refusal', () => {
  /** The upstream's status, the client's status, and whether the next endpoint is tried. */
  const table: [number, number, boolean][] = [
    [301, 502, true],
    [400, 400, false],
    [401, 502, true],
    [402, 402, true],
    [403, 403, true],
    [404, 404, true],
    [410, 404, true],
    [498, 429, true],
    [407, 502, true],
    [408, 408, true],
    [413, 413, true],
    [418, 502, true],
    [422, 400, false],
    [429, 429, true],
    [500, 502, true],
    [503, 502, true],
    [504, 408, true],
    [529, 502, true],
  ]
  for (const [theirs, ours, tryNext] of table) {
    test(`with status ${theirs} becomes ${ours}, ${tryNext ? 'if no other endpoint answers' : 'at once'}`, () => {
      const failure = failureFromStatus(theirs, 'a reason')
      assert.deepEqual([faultStatus[failure.kind], failure.canTryNext], [ours, tryNext])
    })
  }

  test('counts against the endpoint unless it concerns the request', () => {
    const statuses = [301, 400, 401, 402, 403, 404, 407, 408, 409, 413, 415, 418, 422, 429, 451, 500, 503, 529]
    const counting = statuses.filter((status) => failureFromStatus(status, undefined).isCausedByEndpoint)
    assert.deepEqual(counting, [301, 401, 402, 407, 408, 429, 500, 503, 529])
  })

  test('has the name and message of the provider, and Retry-After', () => {
    const { message, details } = toClientFault(failureFromStatus(429, 'slow down', 1500), target)
    assert.equal(message, 'The provider limits the rate of requests.')
    assert.deepEqual(details, { metadata: { provider_name: 'north', raw: 'slow down' }, retryAfterSeconds: 1.5 })
  })

  test('of the credential of the service has no details', () => {
    const { message, details } = toClientFault(failureFromStatus(401, 'Incorrect API key provided: sk-abc'), target)
    assert.doesNotMatch(JSON.stringify([message, details]), /sk-|Incorrect/)
  })

  test('of the key of a workspace names it as the cause', () => {
    const failure = failureFromStatus(401, 'Incorrect API key provided: sk-abc', undefined, 'workspace')
    assert.match(failure.message, /refused the key of this workspace/)
    assert.deepEqual([failure.kind, failure.providerMessage, failure.canTryNext], ['bad_gateway', undefined, true])
  })

  test('is cut if it is long', () =>
    assert.equal(failureFromStatus(500, 'x'.repeat(1e6)).providerMessage?.length, 2000))
})

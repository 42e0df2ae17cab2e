import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPod } from './pod.ts'

const running = { restartCount: 0, state: { running: {} } }
const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString()
const notReady = (since: number) => [{ type: 'Ready', status: 'False', lastTransitionTime: at(since) }]

/** The state of a pod on `node-1` with this status. If it is being deleted, it has a grace period of ten seconds. */
function stateOf(status: object, deletedAt?: number): [problem: string | undefined, isLost: boolean] {
  const ending = deletedAt !== undefined && { deletionTimestamp: at(deletedAt + 10), deletionGracePeriodSeconds: 10 }
  const metadata = { name: 'intern-ada-0', ...ending }
  const { problem, isLost } = toPod({ kind: 'Pod', metadata, spec: { nodeName: 'node-1' }, status: status as any })
  return [problem, isLost]
}

test('a running pod has no reason', () => {
  assert.deepEqual(stateOf({ phase: 'Running', containerStatuses: [running] }), [undefined, false])
})

test('a lost node is reported with its time, also for a pod that is being deleted', () => {
  const lost = ['its node node-1 has not reported since 2030-01-01T00:00:20.000Z', true]
  const status = { phase: 'Running', containerStatuses: [running], conditions: notReady(20) }
  assert.deepEqual(stateOf(status), lost)
  // The node itself sets the condition only within the grace period.
  assert.deepEqual(stateOf(status, 40), lost)
  assert.deepEqual(stateOf(status, 5), lost)
  assert.deepEqual(stateOf(status, 15), ['its pod is being deleted from the node node-1', false])
})

test('a running clone and the reason of a failed one are reported', () => {
  const cloneState = (state: object, more: object = {}) => {
    const status = { initContainerStatuses: [{ state, ...more }] } as object
    const { isCloning, cloneFailure } = toPod({ kind: 'Pod', metadata: { name: 'a' }, status: status as any })
    return [isCloning, cloneFailure]
  }
  assert.deepEqual(cloneState({ running: {} }), [true, undefined])
  assert.deepEqual(cloneState({ terminated: { exitCode: 0, reason: 'Completed' } }), [false, undefined])
  const message = 'Warning: something\nThe repository https://a/b is not cloned: no such branch.\n'
  const ended = { terminated: { exitCode: 1, reason: 'Error', message } }
  const why = 'The repository https://a/b is not cloned: no such branch.'
  assert.deepEqual(cloneState(ended), [false, why])
  assert.deepEqual(cloneState({ waiting: { reason: 'CrashLoopBackOff' } }, { lastState: ended }), [false, why])
  const killed = cloneState({ terminated: { exitCode: 137, reason: 'OOMKilled', message } })
  assert.deepEqual(killed, [
    false,
    'The repository is not cloned: git ended with code 137 (OOMKilled): it used more memory than allowed (setting "intern_memory_bytes").',
  ])
})

test('the reason for which a pod does not run is the cluster’s', () => {
  const waiting = { reason: 'ErrImagePull', message: 'no such image' }
  const unscheduled = [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }]
  const ended = { exitCode: 137, reason: 'OOMKilled' }
  const failed = { exitCode: 1, reason: 'Error', message: 'first\nno token\n{"event":"agent.started"}\n' }
  for (const [status, why] of [
    [{ containerStatuses: [{ state: { waiting } }] }, 'its image cannot be pulled: ErrImagePull: no such image'],
    [{ phase: 'Pending', conditions: unscheduled }, 'no node accepts its pod: 0/3 nodes are available'],
    [
      { containerStatuses: [{ state: { terminated: ended } }] },
      'its daemon ended with code 137 (OOMKilled): it used more memory than allowed (setting "intern_memory_bytes")',
    ],
    [
      {
        containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: failed } }],
      },
      'its daemon ended with code 1: no token',
    ],
    [
      {
        initContainerStatuses: [{ state: { waiting } }],
        containerStatuses: [{ state: { waiting: { reason: 'PodInitializing' } } }],
      },
      'its image cannot be pulled: ErrImagePull: no such image',
    ],
    [
      {
        phase: 'Running',
        containerStatuses: [running],
        conditions: [{ type: 'DisruptionTarget', status: 'True', message: 'Eviction API: evicting' }],
      },
      'its pod was evicted from the node node-1: Eviction API: evicting',
    ],
    [
      { phase: 'Failed', reason: 'UnexpectedAdmissionError', message: 'no' },
      'its pod has failed: UnexpectedAdmissionError: no',
    ],
    [{ phase: 'Pending' }, 'its container is being created on the node node-1'],
  ] as const)
    assert.deepEqual(stateOf(status), [why, false])
})

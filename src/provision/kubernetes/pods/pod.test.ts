import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPod } from './pod.ts'

const running = { name: 'daemon', restartCount: 0, state: { running: {} } }
const at = (second: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString()
const notReady = (reason?: string) => [{ type: 'Ready', status: 'False', reason, lastTransitionTime: at(20) }]

/** The state of a pod on `node-1` with this status. */
function stateOf(status: object, deletionTimestamp?: string): [problem: string | undefined, isLost: boolean] {
  const metadata = { name: 'intern-ada-0', ...(deletionTimestamp && { deletionTimestamp }) }
  const { problem, isLost } = toPod({ kind: 'Pod', metadata, spec: { nodeName: 'node-1' }, status: status as any })
  return [problem, isLost]
}

test('a running pod has no reason', () => {
  assert.deepEqual(stateOf({ phase: 'Running', containerStatuses: [running] }), [undefined, false])
})

test('a lost node is reported with its time, also for a pod that is being deleted', () => {
  const lost = ['its node node-1 has not reported since 2030-01-01T00:00:20.000Z', true]
  const status = { phase: 'Running', containerStatuses: [running], conditions: notReady() }
  assert.deepEqual(stateOf(status), lost)
  assert.deepEqual(stateOf(status, at(30)), lost)
})

test('a pod that its own node reports as not ready is not on a lost node', () => {
  const status = { phase: 'Running', containerStatuses: [running], conditions: notReady('ContainersNotReady') }
  assert.deepEqual(stateOf(status), [undefined, false])
  assert.deepEqual(stateOf(status, at(30)), ['its pod is being deleted from the node node-1', false])
})

test('containers that the cluster added are not mistaken for the daemon and the clone', () => {
  const ended = { terminated: { exitCode: 1, reason: 'Error', message: 'no route' } }
  const status = {
    containerStatuses: [{ name: 'azwi-proxy', restartCount: 3, state: ended }, running],
    initContainerStatuses: [{ name: 'istio-init', state: ended }],
  }
  const pod = toPod({ kind: 'Pod', metadata: { name: 'a' }, status: status as any })
  assert.deepEqual([pod.isRunning, pod.restarts, pod.problem, pod.cloneFailure], [true, 0, undefined, undefined])
  const missing = { reason: 'ErrImagePull', message: 'no such proxy' }
  const waiting = [
    { name: 'daemon', state: { waiting: { reason: 'PodInitializing' } } },
    { name: 'zz', state: { waiting: missing } },
  ]
  assert.deepEqual(stateOf({ containerStatuses: waiting }), [
    'its image cannot be pulled: ErrImagePull: no such proxy',
    false,
  ])
})

test('the image of a pod is the configured one, even if the cluster replaced it', () => {
  const spec = {
    containers: [
      { name: 'a', image: 'other:1' },
      { name: 'daemon', image: 'mirror.test/one:1' },
    ],
  }
  const imageOf = (annotations: object) =>
    toPod({ kind: 'Pod', metadata: { name: 'a', annotations: { ...annotations } }, spec }).image
  assert.equal(imageOf({ 'signalbox.dev/image': 'one:1' }), 'one:1')
  assert.equal(imageOf({}), 'mirror.test/one:1')
})

test('a pod ends with its own container, although an added one still runs', () => {
  const proxy = { name: 'a-proxy', state: { running: {} } }
  const files = { name: 'files', state: { terminated: { exitCode: 0 } } }
  const hasEnded = (status: object, metadata: object = {}) =>
    toPod({ kind: 'Pod', metadata: { name: 'a', ...metadata }, status: status as any }).hasEnded
  assert.equal(hasEnded({ phase: 'Running', containerStatuses: [proxy, files] }), true)
  assert.equal(hasEnded({ phase: 'Failed' }), true)
  assert.equal(hasEnded({ phase: 'Running', containerStatuses: [proxy] }), false)
  assert.equal(hasEnded({ phase: 'Failed' }, { deletionTimestamp: at(1) }), false)
})

test('a running clone and the reason of a failed one are reported', () => {
  const cloneState = (state: object, more: object = {}) => {
    const status = { initContainerStatuses: [{ name: 'clone', state, ...more }] } as object
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
  const killed = { exitCode: 137, reason: 'Error', message: '{"event":"agent.started"}\nready\n' }
  for (const [status, why] of [
    [
      { containerStatuses: [{ name: 'daemon', state: { waiting } }] },
      'its image cannot be pulled: ErrImagePull: no such image',
    ],
    [{ phase: 'Pending', conditions: unscheduled }, 'no node accepts its pod: 0/3 nodes are available'],
    [
      { containerStatuses: [{ name: 'daemon', state: { terminated: ended } }] },
      'its daemon ended with code 137 (OOMKilled): it used more memory than allowed (setting "intern_memory_bytes")',
    ],
    [
      {
        containerStatuses: [
          { name: 'daemon', state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: failed } },
        ],
      },
      'its daemon ended with code 1: no token',
    ],
    [{ containerStatuses: [{ name: 'daemon', state: { terminated: killed } }] }, 'its daemon ended with code 137'],
    [
      {
        initContainerStatuses: [{ name: 'clone', state: { waiting } }],
        containerStatuses: [{ name: 'daemon', state: { waiting: { reason: 'PodInitializing' } } }],
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

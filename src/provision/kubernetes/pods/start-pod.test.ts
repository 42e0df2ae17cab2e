import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesClient } from '../client/client.ts'
import type { Warning } from '../client/object.ts'
import type { Pod } from './pod.ts'
import { startRespondingPod } from './start-pod.ts'

const pod = (more: Partial<Pod> = {}): Pod => ({
  name: 'intern-ada-0',
  internId: 'ada',
  uid: 'one',
  settingsHash: 'these',
  image: 'signalbox:1',
  node: 'node-1',
  address: '10.0.0.1',
  isRunning: true,
  hasEnded: false,
  restarts: 0,
  problem: undefined,
  isEnding: false,
  isLost: false,
  isCloning: false,
  cloneFailure: undefined,
  isProblemExplained: false,
  lastEnd: undefined,
  ...more,
})

const noon = Date.parse('2030-01-01T12:00:00Z')

/** Starts an intern whose daemon answers the tenth check; `first` is its pod at the start, `second` soon after. */
async function started(
  first: Pod | undefined,
  second: Pod | undefined,
  unresponsiveMs: number,
  startMs = 60_000,
  isResponding?: () => Promise<boolean>,
  warnings: Warning[] = [],
) {
  const done: string[] = []
  const client = {
    warnings: async (name) => warnings.filter(({ involvedObject }) => involvedObject.name === name),
    remove: async (kind, name, uid) => void done.push(`removed ${kind} ${name} ${uid}`),
    merge: async (kind, name, change) => done.push(`changed ${kind} ${name} ${JSON.stringify(change)}`) as never,
  } as Partial<KubernetesClient> as KubernetesClient
  const pods = {
    follow: (_id: string, listener: (pod: Pod | undefined) => void) => {
      listener(first)
      setTimeout(() => listener(second), 20)
      return () => {}
    },
  }
  let checks = 0
  const options = {
    internId: 'ada',
    settingsHash: 'these',
    startMs,
    unresponsiveMs,
    onRunning: () => done.push('runs'),
    cloneMs: 60_000,
    onCloning: () => done.push('clones'),
    signal: new AbortController().signal,
    isResponding: isResponding ?? (async () => ++checks === 10),
  }
  const address = await startRespondingPod({ client, pods, now: () => noon }, options).catch(
    (error: Error) => error.message,
  )
  return { address, done }
}

test('a new pod has the time of a start to answer', async () => {
  assert.deepEqual(await started(undefined, pod(), 1), { address: '10.0.0.1', done: ['runs'] })
  assert.deepEqual((await started(pod({ isRunning: false }), pod(), 1)).done, ['runs'])
})

test('an earlier pod that hangs is removed, but not its successor', async () => {
  const { done } = await started(pod(), pod(), 500)
  assert.deepEqual([done[0], done[1]], ['runs', 'removed Pod intern-ada-0 one'])
  // The first pod may or may not be removed before the second one exists.
  const { done: replaced } = await started(pod(), pod({ uid: 'two' }), 1)
  assert.deepEqual(
    replaced.filter((each) => each !== 'removed Pod intern-ada-0 one'),
    ['runs', 'runs'],
  )
})

test('a pod with other settings does not count, and after a timeout the pod ends', async () => {
  const { address, done } = await started(pod({ settingsHash: 'others' }), pod({ settingsHash: 'others' }), 1, 300)
  assert.match(address, /did not respond within 0\.3 s/)
  assert.deepEqual(done, ['changed StatefulSet intern-ada {"spec":{"replicas":0}}'])
})

test('a clone has additional time and is reported', async () => {
  const first = pod({ isRunning: false, isCloning: true })
  const { address, done } = await started(first, pod(), 60_000, 0)
  assert.equal(address, '10.0.0.1')
  assert.deepEqual(done, ['clones', 'runs'])
})

test('a failed clone is reported immediately and ends the pod', async () => {
  const failed = pod({ isRunning: false, cloneFailure: 'The repository is not cloned: it is empty.' })
  const { address, done } = await started(failed, failed, 60_000)
  assert.equal(address, 'The repository is not cloned: it is empty.')
  assert.deepEqual(done, ['changed StatefulSet intern-ada {"spec":{"replicas":0}}', 'removed Pod intern-ada-0 one'])
  assert.equal((await started({ ...failed, isEnding: true }, pod({ uid: 'two' }), 60_000)).address, '10.0.0.1')
})

test('a missing pod is reported with the latest warning of the cluster', async () => {
  const warning = (name: string, time: string, message: string): Warning => ({
    involvedObject: { name },
    type: 'Warning',
    message,
    lastTimestamp: `2030-01-01T${time}Z`,
  })
  const warnings = [
    warning('intern-ada-0', '12:00:02', 'exceeded quota: few.'),
    warning('intern-ada', '12:00:01', 'something else'),
    warning('intern-ada', '09:00:00', 'long ago'),
    warning('intern-bea', '12:00:03', 'of another'),
  ]
  const none = await started(undefined, undefined, 1, 100, undefined, warnings)
  assert.match(none.address, /0\.1 s: it has no pod; the cluster says: exceeded quota: few\.$/)
  const old = await started(undefined, undefined, 1, 100, undefined, warnings.slice(2))
  assert.match(old.address, /it has no pod: the cluster does not create one, or does not respond\.$/)
  const explained = pod({
    isRunning: false,
    problem: 'no node accepts its pod: none has room.',
    isProblemExplained: true,
  })
  const { address } = await started(explained, explained, 1, 100, undefined, warnings)
  assert.match(address, /: no node accepts its pod: none has room\.$/)
})

const lost = { isLost: true, problem: 'its node node-1 has not reported since noon' }

test('a daemon on a lost node that answers has started', async () => {
  const { address } = await started(pod(lost), pod(lost), 1, 60_000, async () => true)
  assert.equal(address, '10.0.0.1')
})

test('on a lost node the start fails and no pod will start later, but none is removed', async () => {
  for (const more of [{}, { isEnding: true }, { settingsHash: 'others' }]) {
    const onLostNode = pod({ ...lost, ...more })
    const isResponding = async () => Object.keys(more).length > 0
    const { address, done } = await started(onLostNode, onLostNode, 1, 60_000, isResponding)
    assert.equal(address, `It cannot be started: ${lost.problem}.`)
    assert.deepEqual(
      done.filter((each) => each !== 'runs'),
      ['changed StatefulSet intern-ada {"spec":{"replicas":0}}'],
    )
  }
})

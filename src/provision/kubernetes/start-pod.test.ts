import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesClient } from './client.ts'
import type { Warning } from './object.ts'
import type { Pod } from './pod.ts'
import { podThatAnswers } from './start-pod.ts'

const pod = (more: Partial<Pod> = {}): Pod => ({
  ...{ name: 'intern-ada-0', intern: 'ada', uid: 'one', settings: 'these', image: 'signalbox:1', node: 'node-1' },
  ...{ address: '10.0.0.1', isRunning: true, restarts: 0, why: undefined, isEnding: false, isLost: false },
  ...{ isCloning: false, cloneFailure: undefined, isExplained: false, lastEnd: undefined },
  ...more,
})

const noon = Date.parse('2030-01-01T12:00:00Z')

/** Starts an intern whose daemon answers at the tenth time; `first` is its pod at the beginning, `second` soon after. */
async function started(
  first: Pod | undefined,
  second: Pod | undefined,
  unresponsiveMs: number,
  startMs = 60_000,
  answers?: () => Promise<boolean>,
  warnings: Warning[] = [],
) {
  const done: string[] = []
  const client = {
    warnings: async (name) => warnings.filter(({ involvedObject }) => involvedObject.name === name),
    remove: async (kind, name, uid) => void done.push(`removed ${kind} ${name} ${uid}`),
    merge: async (kind, name, change) => done.push(`changed ${kind} ${name} ${JSON.stringify(change)}`) as never,
  } as Partial<KubernetesClient> as KubernetesClient
  const pods = {
    follow: (_id: string, seen: (pod: Pod | undefined) => void) => {
      seen(first)
      setTimeout(() => seen(second), 20)
      return () => {}
    },
  }
  let asked = 0
  const wanted = {
    ...{ intern: 'ada', settings: 'these', startMs, unresponsiveMs, onRunning: () => done.push('runs') },
    ...{ cloneMs: 60_000, onCloning: () => done.push('clones') },
    ...{ signal: new AbortController().signal, answers: answers ?? (async () => ++asked === 10) },
  }
  const address = await podThatAnswers({ client, pods, now: () => noon }, wanted).catch((error: Error) => error.message)
  return { address, done }
}

test('a pod that is new may take its time to answer', async () => {
  assert.deepEqual(await started(undefined, pod(), 1), { address: '10.0.0.1', done: ['runs'] })
  assert.deepEqual((await started(pod({ isRunning: false }), pod(), 1)).done, ['runs'])
})

test('one that ran before and hangs is removed, and no other in its place', async () => {
  const { done } = await started(pod(), pod(), 500)
  assert.deepEqual([done[0], done[1]], ['runs', 'removed Pod intern-ada-0 one'])
  // Whether the first was removed before the second took its place is a matter of a moment.
  const { done: replaced } = await started(pod(), pod({ uid: 'two' }), 1)
  assert.deepEqual(
    replaced.filter((each) => each !== 'removed Pod intern-ada-0 one'),
    ['runs', 'runs'],
  )
})

test('one of other settings is not waited for, and what does not come in time is not to come later', async () => {
  const { address, done } = await started(pod({ settings: 'others' }), pod({ settings: 'others' }), 1, 300)
  assert.match(address, /did not answer within 0\.3 s/)
  assert.deepEqual(done, ['changed StatefulSet intern-ada {"spec":{"replicas":0}}'])
})

test('a clone has time of its own, and is told', async () => {
  const first = pod({ isRunning: false, isCloning: true })
  const { address, done } = await started(first, pod(), 60_000, 0)
  assert.equal(address, '10.0.0.1')
  assert.deepEqual(done, ['clones', 'runs'])
})

test('a repository that is not cloned is told at once, and its pod ends; that of a pod that ends already is not', async () => {
  const failed = pod({ isRunning: false, cloneFailure: 'The repository is not cloned: it is empty.' })
  const { address, done } = await started(failed, failed, 60_000)
  assert.equal(address, 'The repository is not cloned: it is empty.')
  assert.deepEqual(done, ['changed StatefulSet intern-ada {"spec":{"replicas":0}}', 'removed Pod intern-ada-0 one'])
  assert.equal((await started({ ...failed, isEnding: true }, pod({ uid: 'two' }), 60_000)).address, '10.0.0.1')
})

test('why there is no pod is told in the words of the cluster, as they are of late', async () => {
  const warning = (name: string, time: string, message: string): Warning => ({
    ...{ involvedObject: { name }, type: 'Warning', message, lastTimestamp: `2030-01-01T${time}Z` },
  })
  const said = [
    warning('intern-ada-0', '12:00:02', 'exceeded quota: few.'),
    warning('intern-ada', '12:00:01', 'something else'),
    warning('intern-ada', '09:00:00', 'long ago'),
    warning('intern-bea', '12:00:03', 'of another'),
  ]
  const none = await started(undefined, undefined, 1, 100, undefined, said)
  assert.match(none.address, /0\.1 s: there is no pod; the cluster says: exceeded quota: few\.$/)
  const old = await started(undefined, undefined, 1, 100, undefined, said.slice(2))
  assert.match(old.address, /there is no pod: the cluster makes none, or cannot be asked\.$/)
  const explained = pod({ isRunning: false, why: 'no node takes its pod: none has room.', isExplained: true })
  const { address } = await started(explained, explained, 1, 100, undefined, said)
  assert.match(address, /: no node takes its pod: none has room\.$/)
})

const lost = { isLost: true, why: 'its node node-1 has not been heard of since noon' }

test('a daemon that answers has started, though the cluster has not heard of its node', async () => {
  const { address } = await started(pod(lost), pod(lost), 1, 60_000, async () => true)
  assert.equal(address, '10.0.0.1')
})

test('on a node that is lost nothing is waited for, and no pod is removed', async () => {
  for (const more of [{}, { isEnding: true }, { settings: 'others' }]) {
    const gone = pod({ ...lost, ...more })
    const answers = async () => Object.keys(more).length > 0
    const { address, done } = await started(gone, gone, 1, 60_000, answers)
    assert.equal(address, `It cannot be started: ${lost.why}.`)
    assert.deepEqual(
      done.filter((each) => each !== 'runs'),
      [],
    )
  }
})

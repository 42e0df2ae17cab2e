import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesClient } from './client.ts'
import type { Pod } from './pod.ts'
import { podThatAnswers } from './start-pod.ts'

const pod = (more: Partial<Pod> = {}): Pod => ({
  ...{ name: 'intern-ada-0', intern: 'ada', uid: 'one', settings: 'these', image: 'signalbox:1', node: 'node-1' },
  ...{ address: '10.0.0.1', isRunning: true, restarts: 0, why: undefined, isEnding: false, isLost: false },
  ...more,
})

/** Starts an intern whose daemon answers at the tenth time; `first` is its pod at the beginning, `second` soon after. */
async function started(
  first: Pod | undefined,
  second: Pod,
  unresponsiveMs: number,
  startMs = 60_000,
  answers?: () => Promise<boolean>,
) {
  const done: string[] = []
  const client = {
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
    ...{ signal: new AbortController().signal, answers: answers ?? (async () => ++asked === 10) },
  }
  const address = await podThatAnswers({ client, pods }, wanted).catch((error: Error) => error.message)
  return { address, done }
}

test('a pod that is new may take its time to answer', async () => {
  assert.deepEqual(await started(undefined, pod(), 1), { address: '10.0.0.1', done: ['runs'] })
  assert.deepEqual((await started(pod({ isRunning: false }), pod(), 1)).done, ['runs'])
})

test('one that ran before and hangs is removed, and no other in its place', async () => {
  const { done } = await started(pod(), pod(), 500)
  assert.deepEqual([done[0], done[1]], ['runs', 'removed Pod intern-ada-0 one'])
  assert.deepEqual((await started(pod(), pod({ uid: 'two' }), 1)).done, ['runs', 'runs'])
})

test('one of other settings is not waited for, and what does not come in time is not to come later', async () => {
  const { address, done } = await started(pod({ settings: 'others' }), pod({ settings: 'others' }), 1, 300)
  assert.match(address, /did not answer within 0\.3 s/)
  assert.deepEqual(done, ['changed StatefulSet intern-ada {"spec":{"replicas":0}}'])
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesClient } from './client.ts'
import type { Pod } from './pod.ts'
import { podThatAnswers } from './start-pod.ts'

const lost: Pod = {
  ...{ name: 'intern-a-0', intern: 'a', uid: 'u1', settings: 's1', image: 'signalbox:1', address: '10.0.0.7' },
  ...{ node: 'node-1', isRunning: true, restarts: 0, isLost: true, isEnding: false },
  why: 'its node node-1 has not been heard of since 2030-01-02T03:04:05Z',
}

/** Starts an intern whose pod the cluster shows so, and whose daemon answers or does not. */
function start(pod: Pod, answers: boolean): Promise<string> {
  const follow = (_intern: string, seen: (pod: Pod) => void) => {
    queueMicrotask(() => seen(pod))
    return () => {}
  }
  const wanted = {
    ...{ intern: 'a', settings: 's1', startMs: 60_000, unresponsiveMs: 0, signal: new AbortController().signal },
    ...{ answers: async () => answers, onRunning: () => {} },
  }
  return podThatAnswers({ client: {} as KubernetesClient, pods: { follow } }, wanted)
}

test('a daemon that answers has started, though the cluster has not heard of its node', async () => {
  assert.equal(await start(lost, true), '10.0.0.7')
})

test('on a node that is lost nothing is waited for, and no pod is removed', async () => {
  await assert.rejects(start(lost, false), /cannot be started: its node node-1 has not been heard of/)
  await assert.rejects(start({ ...lost, isEnding: true }, true), /node-1/)
  await assert.rejects(start({ ...lost, settings: 'others' }, true), /node-1/)
})

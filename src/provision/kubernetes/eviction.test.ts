import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evictedByNode } from './eviction.ts'
import type { Warning } from './object.ts'
import { podOf } from './pod.ts'

/** What a node says, as kubelets do; `why` is what the owner of the intern is told after `from the node node-1 at …: `. */
const sentences = [
  ['Usage of EmptyDir volume "tmp" exceeds the limit "1Gi". ', 'its temporary files (/tmp) took more than 1Gi'],
  [
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container daemon was using 300Mi, request is 256Mi, has larger consumption of memory. ',
    'the node had too little memory left, of which it was using 300Mi',
  ],
  [
    'The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 0. ',
    'the node had too little disk left',
  ],
  ['The node had condition: [DiskPressure]. ', 'The node had condition: [DiskPressure]'],
  ['', 'without a reason'],
] as const
const at = '2030-01-01T00:00:20Z'

test('why a pod is evicted is told in plain words, with its node and since when, as soon as the node says so', async () => {
  for (const [message, why] of sentences) {
    const of = (uid: string, reason: string): Warning => ({
      ...{ involvedObject: { name: 'intern-ada-0', uid }, type: 'Warning', reason, message, lastTimestamp: at },
    })
    const told = (...warnings: Warning[]) =>
      evictedByNode({ warnings: async () => warnings }, 'ada', { uid: 'one', node: 'node-1' })
    const wanted = `its pod was evicted from the node node-1 at ${at}: ${why}`
    assert.equal(await told(of('one', 'BackOff'), of('another', 'Evicted'), of('one', 'Evicted')), wanted)
    assert.equal(await told(of('another', 'Evicted'), of('one', 'BackOff')), undefined)
  }
})

test('and so it is where only the state of the pod says so', () => {
  for (const [message, why] of sentences) {
    const conditions = [{ type: 'DisruptionTarget', status: 'True', lastTransitionTime: at, message: 'terminated' }]
    const status = { phase: 'Failed', reason: 'Evicted', message, conditions }
    const pod = podOf({ kind: 'Pod', metadata: { name: 'intern-ada-0' }, spec: { nodeName: 'node-1' }, status })
    assert.deepEqual(
      [pod.why, pod.isExplained],
      [`its pod was evicted from the node node-1 at ${at}: ${why}`, true],
      message,
    )
  }
})

test('who may not ask what the cluster says is told less', async () => {
  const forbidden = async () => {
    throw new Error('events is forbidden')
  }
  assert.equal(await evictedByNode({ warnings: forbidden }, 'ada', { uid: 'one', node: undefined }), undefined)
})
